import { ensureBuild } from "../../../scripts/ensure-build.ts";
import { startLoad } from "../load/start-load.ts";
import { withCauses } from "../measure/causes.ts";
import { type Comparison, latencyOf } from "../measure/comparison.ts";
import { type LoadedSide, measureInTurn } from "../measure/in-turn.ts";
import { type BenchPage, startPages } from "../service/pages.ts";
import { startService } from "../service/start-service.ts";
import type { EmptyPageProcess } from "../yardsticks/empty-page/server.ts";
import { startYardstick } from "../yardsticks/start-yardstick.ts";
import type { RunJob } from "./job.ts";

// The build that the demo serves.
const distDir = ".next";

/** A page's server time for one visitor at a time, compared with an empty page. */
export const runPages: RunJob = async (context) => {
  const { reaper, seconds, say } = context;
  await ensureBuild(distDir, say);
  const service = await startService(reaper, { apis: 1 });
  const { pid, pages } = await startPages(service, reaper, distDir);
  say("Building the empty page");
  const emptyPage = await startYardstick<EmptyPageProcess>("empty-page/server.ts", { reaper });
  const origin = await emptyPage.call("start", undefined);

  const sideOf = async ({ name, origin, path, cookie }: BenchPage): Promise<LoadedSide> => {
    const scenario = { kind: "page" as const, path, cookie };
    const load = await startLoad(`page-${name}`, { origins: [origin], connections: 1, scenario }, reaper);
    const measure = () => load.call("closedLoop", { warmUpSeconds: 1, seconds: Math.max(1, seconds / 2) });
    return { name, measure, loadPid: load.pid };
  };
  const sides: Record<string, LoadedSide> = {
    empty: await sideOf({ name: "an empty page of Next", origin, path: "/", cookie: "" }),
  };
  for (const page of pages) sides[page.name] = await sideOf(page);
  const measured = await measureInTurn(sides, context);
  const yardstick = measured["empty"];
  const comparisons: Comparison[] = [];
  for (const { name } of pages) {
    const [ours, side] = [measured[name], sides[name]];
    if (!ours || !side || !yardstick) continue;
    const comparison: Comparison = {
      job: `page, ${name}, server time`,
      unit: "ms",
      ours: latencyOf(ours, "p50Ms"),
      yardstick: latencyOf(yardstick, "p50Ms"),
      goal: { kind: "beside", compare: "at most", ratio: 2 },
      lever: "fewer components on the page: React renders each twice, for the browser and as HTML",
    };
    const watched = { service, loadPid: side.loadPid, others: { pages: pid }, work: side.measure };
    comparisons.push(...(await withCauses([comparison], watched)));
  }
  return comparisons;
};

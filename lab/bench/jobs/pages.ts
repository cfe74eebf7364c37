import { ensureBuild } from "../../../scripts/ensure-build.ts";
import { startLoad } from "../load/start-load.ts";
import { withCauses } from "../measure/causes.ts";
import { type Comparison, figureOf, latencyOf } from "../measure/comparison.ts";
import { type LoadedSide, measureInTurn } from "../measure/in-turn.ts";
import { cpuSeconds } from "../processes/cpu.ts";
import { type BenchPage, startPages } from "../service/pages.ts";
import { startService } from "../service/start-service.ts";
import type { EmptyPageProcess } from "../yardsticks/empty-page/server.ts";
import { startYardstick } from "../yardsticks/start-yardstick.ts";
import type { RunJob } from "./job.ts";

// The build that the demo serves.
const distDir = ".next";

/**
 * A page for one visitor at a time, compared with an empty page: the CPU time of its process, which other work on the
 * machine barely affects, and the response time.
 */
export const runPages: RunJob = async (context) => {
  const { reaper, seconds, say } = context;
  await ensureBuild(distDir, say);
  const service = await startService(reaper, { apis: 1 });
  const { pid, pages } = await startPages(service, reaper, distDir);
  say("Building the empty page");
  const emptyPage = await startYardstick<EmptyPageProcess>("empty-page/server.ts", { reaper });
  const origin = await emptyPage.call("start", undefined);

  const processorMs: Record<string, number[]> = {};
  const sideOf = async ({ name, origin, path, cookie }: BenchPage, pid: number): Promise<LoadedSide> => {
    const scenario = { kind: "page" as const, path, cookie };
    const load = await startLoad(`page-${name}`, { origins: [origin], connections: 1, scenario }, reaper);
    const spent: number[] = [];
    processorMs[name] = spent;
    const measure = async () => {
      await load.call("closedLoop", { warmUpSeconds: 0, seconds: 1 });
      const before = cpuSeconds(pid);
      const round = await load.call("closedLoop", { warmUpSeconds: 0, seconds: Math.max(1, seconds / 2) });
      spent.push((1000 * (cpuSeconds(pid) - before)) / (round.count + round.late));
      return round;
    };
    return { name, measure, loadPid: load.pid };
  };
  const empty = "an empty page of Next";
  const sides: Record<string, LoadedSide> = {
    empty: await sideOf({ name: empty, origin, path: "/", cookie: "" }, emptyPage.pid),
  };
  for (const page of pages) sides[page.name] = await sideOf(page, pid);
  const measured = await measureInTurn(sides, context);
  const yardstick = measured["empty"];
  const comparisons: Comparison[] = [];
  for (const { name } of pages) {
    const [ours, side] = [measured[name], sides[name]];
    if (!ours || !side || !yardstick) continue;
    const goal = { kind: "beside", compare: "at most", ratio: name === "dashboard" ? 2.5 : 1.5 } as const;
    const lever = "fewer components on the page: React renders each twice, for the browser and as HTML";
    const computed: Comparison = {
      job: `page, ${name}, processor time`,
      unit: "ms",
      ours: figureOf(name, processorMs[name] ?? []),
      yardstick: figureOf(empty, processorMs[empty] ?? []),
      goal,
      lever,
    };
    const answered: Comparison = {
      job: `page, ${name}, server time`,
      unit: "ms",
      ours: latencyOf(ours, "p50Ms"),
      yardstick: latencyOf(yardstick, "p50Ms"),
      goal,
      lever,
    };
    const watched = { service, loadPid: side.loadPid, others: { pages: pid }, work: side.measure };
    comparisons.push(...(await withCauses([computed, answered], watched)));
  }
  return comparisons;
};

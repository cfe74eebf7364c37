import { ensureBuild } from "../../scripts/ensure-build.ts";
import { startLoad } from "../load/start-load.ts";
import { latencyOf } from "../measure/comparison.ts";
import { measureInTurn, type Side } from "../measure/in-turn.ts";
import { type BenchPage, startPages } from "../service/pages.ts";
import { startService } from "../service/start-service.ts";
import type { EmptyPageProcess } from "../yardsticks/empty-page/server.ts";
import { startYardstick } from "../yardsticks/start-yardstick.ts";
import type { RunJob } from "./job.ts";

// The build that the demo serves.
const distDir = ".next";

/** What a page costs the server: one visitor at a time, from the request to the last byte, beside an empty page. */
export const runPages: RunJob = async (context) => {
  const { reaper, seconds, say } = context;
  await ensureBuild(distDir, say);
  const service = await startService(reaper, { apis: 1 });
  const pages = await startPages(service, reaper, distDir);
  say("Building the empty page");
  const emptyPage = await startYardstick<EmptyPageProcess>("empty-page/server.ts", { reaper });
  const origin = await emptyPage.call("start", undefined);

  const sideOf = async ({ name, origin, path, cookie }: BenchPage): Promise<Side> => {
    const scenario = { kind: "page" as const, path, cookie };
    const load = await startLoad(`page-${name}`, { origins: [origin], connections: 1, scenario }, reaper);
    return { name, measure: () => load.call("closedLoop", { warmUpSeconds: 1, seconds: Math.max(1, seconds / 2) }) };
  };
  const sides: Record<string, Side> = {
    empty: await sideOf({ name: "an empty page of Next", origin, path: "/", cookie: "" }),
  };
  for (const page of pages) sides[page.name] = await sideOf(page);
  const measured = await measureInTurn(sides, context);
  const yardstick = measured["empty"];
  return pages.flatMap(({ name }) => {
    const ours = measured[name];
    if (!ours || !yardstick) return [];
    return {
      job: `page, ${name}, server time`,
      unit: "ms",
      ours: latencyOf(ours, "p50Ms"),
      yardstick: latencyOf(yardstick, "p50Ms"),
      goal: { kind: "beside", compare: "at most", ratio: 2 },
      lever: "fewer client components on the page, and its reads beside each other",
    };
  });
};

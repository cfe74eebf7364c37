import { requireRight } from "../load/round.ts";
import { startLoad } from "../load/start-load.ts";
import { figureOf } from "../measure/comparison.ts";
import { residentMb } from "../processes/resident-memory.ts";
import { createBenchClient } from "../service/people.ts";
import { startService } from "../service/start-service.ts";
import type { RunJob } from "./job.ts";
import { mixedDay } from "./mixed.ts";

const million = 1_000_000;
const sliceSeconds = 2;

/** The service's memory over a million mixed requests (times the scale). */
export const runMemory: RunJob = async (context) => {
  const { reaper, connections, scale, say } = context;
  const service = await startService(reaper, { apis: 1 });
  const client = await createBenchClient({ sources: 50, sellers: 1000 });
  const load = await startLoad("mixed", { origins: service.origins, connections, scenario: mixedDay(client) }, reaper);
  const processes = [...service.apis, service.worker];
  const wanted = million * scale;
  /** Megabytes after each tenth of the requests. */
  const tenths: number[] = [];
  let done = 0;
  while (done < wanted) {
    const round = await load.call("closedLoop", { warmUpSeconds: 0, seconds: sliceSeconds });
    requireRight("ours", round);
    done += round.count + round.late;
    const resident = residentMb(processes);
    while (tenths.length < Math.min(10, Math.floor((done / wanted) * 10))) {
      tenths.push(resident);
      say(`${done.toLocaleString("en-US")} requests: ${resident.toFixed(0)} MB`);
    }
  }
  const lever = "find what grows: request log, buffers, an idle heap";
  const many = Math.round(wanted).toLocaleString("en-US");
  return [
    {
      job: `memory after ${many} requests, API and worker together`,
      unit: "MB",
      ours: figureOf("ours", [tenths.at(-1) ?? Number.NaN]),
      goal: { kind: "alone", compare: "at most", value: 250 },
      lever,
    },
    {
      job: "memory after three tenths of them, beside two",
      unit: "MB",
      ours: figureOf("after three", [tenths[2] ?? Number.NaN]),
      yardstick: figureOf("after two", [tenths[1] ?? Number.NaN]),
      // Heap sizes vary by a few percent between collections.
      goal: { kind: "beside", compare: "at most", ratio: 1.05 },
      lever,
    },
  ];
};

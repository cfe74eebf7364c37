import type { Round } from "../load/round.ts";
import { startLoad, startReceiver } from "../load/start-load.ts";
import { type Comparison, figureOf } from "../measure/comparison.ts";
import { residentMb } from "../processes/resident-memory.ts";
import { createBenchClient } from "../service/people.ts";
import { startService } from "../service/start-service.ts";
import type { RunJob } from "./job.ts";
import { mixedDay } from "./mixed.ts";

const samples = 30;
// A share of the maximum: a busy day with room to catch up after a pause.
const rateShare = 0.4;
// Normal variation between thirds of a run on an idle machine.
const growthMax = 1.15;
const growth = "find what grows with time: unswept tables, changing plans, process state";

/** A steady mixed load with a real receiver: neither memory nor latency may grow. */
export const runSoak: RunJob = async (context) => {
  const { reaper, connections, minutes, say } = context;
  const service = await startService(reaper, { apis: context.processes });
  const receiver = await startReceiver("soak", reaper);
  const client = await createBenchClient({ sources: 50, sellers: 1000, webhookUrl: receiver.url });
  const load = await startLoad("soak", { origins: service.origins, connections, scenario: mixedDay(client) }, reaper);
  const { perSecond: most } = await load.call("closedLoop", { warmUpSeconds: 3, seconds: 5 });
  const perSecond = Math.round(most * rateShare);
  say(`${perSecond}/s for ${minutes} minutes`);

  const seconds = (minutes * 60) / samples;
  const processes = [...service.apis, service.worker];
  const rounds: Round[] = [];
  const memory: number[] = [];
  for (let sample = 1; sample <= samples; sample++) {
    const round = await load.call("atRate", { warmUpSeconds: 0, seconds, perSecond });
    rounds.push(round);
    memory.push(residentMb(processes));
    say(
      `${sample}/${samples}: p50 ${round.p50Ms.toFixed(1)}, p99 ${round.p99Ms.toFixed(1)} ms, ${memory.at(-1)?.toFixed(0)} MB`,
    );
  }
  const grown = (job: string, unit: Comparison["unit"], values: number[]): Comparison => ({
    job: `soak, ${job}, last third of its looks`,
    unit,
    ours: figureOf("last third", values.slice(-samples / 3)),
    // The first two samples are warm-up.
    yardstick: figureOf("first third", values.slice(2, samples / 3)),
    goal: { kind: "beside", compare: "at most", ratio: growthMax },
    lever: growth,
  });
  return [
    {
      job: "soak, memory of API and worker, last third of its looks",
      unit: "MB",
      ours: figureOf("ours", memory.slice(-samples / 3)),
      goal: { kind: "alone", compare: "at most", value: 250 },
      lever: growth,
    },
    grown("memory", "MB", memory),
    ...(["p50Ms", "p99Ms"] as const).map((which) =>
      grown(
        which === "p50Ms" ? "median latency" : "p99",
        "ms",
        rounds.map((round) => round[which]),
      ),
    ),
    {
      job: `soak, wrong answers in ${rounds.reduce((total, { count }) => total + count, 0).toLocaleString("en-US")}`,
      unit: "",
      ours: figureOf("ours", [rounds.reduce((total, { errors }) => total + errors, 0)]),
      goal: { kind: "alone", compare: "at most", value: 0 },
      cause: rounds.find(({ firstError }) => firstError)?.firstError,
    },
  ];
};

import { database } from "../../../lib/service/storage/database.ts";
import { readOutboxBacklog } from "../../../lib/service/storage/delivery-queue.ts";
import type { Round } from "../load/round.ts";
import { settledRound } from "../load/settled-round.ts";
import { type Receiver, startReceiver } from "../load/start-receiver.ts";
import { withCauses } from "../measure/causes.ts";
import { type Comparison, figureOf, throughputOf } from "../measure/comparison.ts";
import { type BenchClient, createBenchClient } from "../service/people.ts";
import { startService } from "../service/start-service.ts";
import { untilDelivered } from "../service/webhooks.ts";
import type { JobContext, RunJob } from "./job.ts";
import { startBookings } from "./routine.ts";

const sellers = 500;
const manySources = 200;
// A minute with 4 s rounds: long enough for a backlog to show.
const lengthInRounds = 15;
const lookMs = 250;
// A routine and its transfer each send one webhook when the transfer ends.
const webhooksPerRoutine = 2;

/** Routines created, settled, and delivered to a real receiver for a minute, compared with no receiver. */
export const runRoutineWebhooks: RunJob = async (context) => {
  const service = await startService(context.reaper, { apis: context.processes });
  const comparisons: Comparison[] = [];
  for (const [where, sources] of [["spread", manySources] as const, ["one hot account", 1] as const]) {
    const quiet = await createBenchClient({ sources, sellers });
    const without = await measureRounds(context, await startBookings(context, service, quiet));
    const receiver = await startReceiver(where.replaceAll(" ", "-"), context.reaper);
    const client = await createBenchClient({ sources, sellers, webhookUrl: receiver.url });
    const load = await startBookings(context, service, client);
    const { round, oldestSeconds, wrong } = await announce(context, load, { receiver, client });
    context.say(`${where}: ${Math.round(round.perSecond)}/s with webhooks, oldest ${oldestSeconds.toFixed(1)} s`);
    const compared: Comparison[] = [
      {
        job: `routine with webhooks, ${where}`,
        unit: "/s",
        ours: throughputOf({ name: "ours, with a receiver", rounds: [round] }),
        yardstick: throughputOf({ name: "ours without", rounds: without }),
        goal: { kind: "beside", compare: "at least", ratio: 0.5 },
        lever: "fewer polls for due webhooks while one client has many",
      },
      {
        job: `oldest undelivered webhook, ${where}`,
        unit: "s",
        ours: figureOf("ours", [oldestSeconds]),
        goal: { kind: "alone", compare: "at most", value: 2 },
        lever: "claim and record webhooks in fewer, larger statements",
      },
      {
        job: `webhooks lost or doubled, ${where}`,
        unit: "",
        ours: figureOf("ours", [wrong]),
        goal: { kind: "alone", compare: "at most", value: 0 },
      },
    ];
    const work = () => settledRound(load, context.seconds);
    comparisons.push(...(await withCauses(compared, { service, loadPid: load.pid, work })));
  }
  return comparisons;
};

async function measureRounds({ rounds, seconds }: JobContext, load: Awaited<ReturnType<typeof startBookings>>) {
  await settledRound(load, 1);
  const measured: Round[] = [];
  for (let number = 0; number < rounds; number++) measured.push(await settledRound(load, seconds));
  return measured;
}

async function announce(
  { seconds }: JobContext,
  load: Awaited<ReturnType<typeof startBookings>>,
  { receiver, client }: { receiver: Receiver; client: BenchClient },
): Promise<{ round: Round; oldestSeconds: number; wrong: number }> {
  let oldestSeconds = 0;
  const look = setInterval(async () => {
    oldestSeconds = Math.max(oldestSeconds, (await readOutboxBacklog(database())).oldestSeconds);
  }, lookMs);
  const round = await settledRound(load, seconds * lengthInRounds);
  await untilDelivered([client.clientId]);
  clearInterval(look);
  const { distinct, repeated } = await receiver.call("received", undefined);
  const expected = (round.count + round.late) * webhooksPerRoutine;
  return { round, oldestSeconds, wrong: Math.abs(expected - distinct) + repeated };
}

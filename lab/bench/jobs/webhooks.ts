import type { Round } from "../load/round.ts";
import type { Receiver } from "../load/start-load.ts";
import { startReceiver } from "../load/start-load.ts";
import { withCauses } from "../measure/causes.ts";
import { type Comparison, figureOf, throughputOf } from "../measure/comparison.ts";
import { measureInTurn, type Side } from "../measure/in-turn.ts";
import { percentile } from "../measure/statistics.ts";
import { startBenchCluster } from "../processes/cluster.ts";
import { createBenchClient } from "../service/people.ts";
import { startService } from "../service/start-service.ts";
import { commitOneWebhook, commitWebhooks, untilDelivered } from "../service/webhooks.ts";
import type { GraphileProcess } from "../yardsticks/graphile-worker/sender.ts";
import { startYardstick } from "../yardsticks/start-yardstick.ts";
import type { JobContext, RunJob } from "./job.ts";

const samples = 100;
const samplePauseMs = 30;
const deadClients = 10;
const deadDeliveries = 100_000;

type Sending = {
  name: string;
  receiver: Receiver;
  commit: (count: number) => Promise<void>;
  commitOne: () => Promise<{ id: string; at: number }>;
  untilDone: () => Promise<void>;
};

/** Signed durable webhooks to an instant receiver: ours, graphile-worker, and batched graphile-worker. */
export const runWebhooks: RunJob = async (context) => {
  const ours = await startOurs(context);
  const plain = await startGraphile(context, false);
  const batched = await startGraphile(context, true);
  const measured = await measureInTurn(
    {
      ours: await wavesOf(ours, context),
      plain: await wavesOf(plain, context),
      batched: await wavesOf(batched, context),
    },
    context,
  );
  const idle = await latencyWhenIdle(ours);
  const idleOfPeer = await latencyWhenIdle(plain);
  context.say(`Committing ${deadDeliveries} webhooks to ${deadClients} dead endpoints`);
  await ours.addDead();
  const beside = await measureInTurn({ ours: await wavesOf(ours, context) }, context);

  const lever = "plan the claim once, and merge it with the previous set's outcomes";
  const all = throughputOf(measured.ours);
  const comparisons: Comparison[] = [
    {
      job: "webhooks",
      unit: "/s",
      ours: all,
      yardstick: throughputOf(measured.plain),
      goal: { kind: "beside", compare: "at least", ratio: 3 },
      lever,
    },
    {
      job: "webhooks",
      unit: "/s",
      ours: all,
      yardstick: throughputOf(measured.batched),
      goal: { kind: "beside", compare: "at least", ratio: 1 },
      lever,
    },
    {
      job: "webhook when idle, commit to receipt (median)",
      unit: "ms",
      ours: {
        ...figureOf("ours", [percentile(idle, 0.5)]),
        p50Ms: percentile(idle, 0.5),
        p99Ms: percentile(idle, 0.99),
      },
      yardstick: {
        ...figureOf("graphile-worker", [percentile(idleOfPeer, 0.5)]),
        p50Ms: percentile(idleOfPeer, 0.5),
        p99Ms: percentile(idleOfPeer, 0.99),
      },
      goal: { kind: "alone", compare: "at most", value: 20 },
      lever,
    },
    {
      job: `webhooks beside ${deadDeliveries.toLocaleString("en-US")} to dead endpoints`,
      unit: "/s",
      ours: throughputOf(beside.ours),
      yardstick: { ...all, name: "ours without them" },
      goal: { kind: "beside", compare: "at least", ratio: 0.9 },
      lever,
    },
  ];
  const work = async () => (await wavesOf(ours, context)).measure();
  return withCauses(comparisons, { service: ours.service, loadPid: ours.receiver.pid, work });
};

async function startOurs({ reaper }: JobContext) {
  const service = await startService(reaper, { apis: 1 });
  const receiver = await startReceiver("ours", reaper);
  const { clientId } = await createBenchClient({ sources: 1, sellers: 0, webhookUrl: receiver.url });
  return {
    ...sendingOf(clientId, receiver),
    service,
    /** Half of the dead endpoints refuse connections, half never respond. */
    addDead: async () => {
      for (let number = 0; number < deadClients; number++) {
        const webhookUrl = number % 2 === 0 ? "http://127.0.0.1:9" : receiver.hangingUrl;
        const dead = await createBenchClient({ sources: 1, sellers: 0, webhookUrl });
        await commitWebhooks(dead.clientId, deadDeliveries / deadClients);
      }
    },
  };
}

export function sendingOf(clientId: string, receiver: Receiver): Sending {
  return {
    name: "ours",
    receiver,
    commit: (count) => commitWebhooks(clientId, count),
    commitOne: () => commitOneWebhook(clientId),
    untilDone: () => untilDelivered([clientId]),
  };
}

async function startGraphile({ reaper }: JobContext, batched: boolean): Promise<Sending> {
  const name = batched ? "graphile-worker, batched" : "graphile-worker";
  const cluster = await startBenchCluster(batched ? "graphile-batched" : "graphile", reaper);
  const receiver = await startReceiver(name.replaceAll(/\W+/g, "-"), reaper);
  const graphile = await startYardstick<GraphileProcess>("graphile-worker/sender.ts", { reaper });
  await graphile.call("start", { databaseUrl: cluster.url, url: receiver.url, batched });
  return {
    name,
    receiver,
    commit: (count) => graphile.call("commit", count),
    commitOne: () => graphile.call("commitOne", undefined),
    untilDone: () => graphile.call("untilDone", undefined),
  };
}

/** One wave per round, sized to take about a round, measured until all are delivered. */
async function wavesOf(sending: Sending, { seconds }: { seconds: number }): Promise<Side> {
  const trial = await wave(sending, 2000);
  const size = Math.max(1000, Math.round((trial.perSecond * seconds) / 1000) * 1000);
  return { name: sending.name, measure: () => wave(sending, size) };
}

async function wave({ receiver, commit, untilDone }: Sending, size: number): Promise<Round> {
  await receiver.call("forget", undefined);
  await commit(size);
  const startedAt = performance.now();
  await receiver.call("untilReceived", size);
  await untilDone();
  const tookMs = performance.now() - startedAt;
  const repeated = await receiver.call("countRepeated", undefined);
  const none = Number.NaN;
  return {
    ...{ perSecond: (size / tookMs) * 1000, count: size, late: 0, errors: repeated },
    ...{ p50Ms: none, p99Ms: none, worstMs: none },
    ...(repeated > 0 && { firstError: "delivered twice" }),
  };
}

/** Milliseconds from the start of the commit to receipt, one webhook at a time with pauses. */
export async function latencyWhenIdle({ receiver, commitOne, untilDone }: Sending): Promise<number[]> {
  await receiver.call("forget", undefined);
  const sent: { id: string; at: number }[] = [];
  for (let number = 0; number < samples; number++) {
    sent.push(await commitOne());
    await new Promise((done) => setTimeout(done, samplePauseMs));
  }
  await untilDone();
  const arrivals = await receiver.call(
    "arrivalsOf",
    sent.map(({ id }) => id),
  );
  return arrivals.map((at, index) => at - (sent[index]?.at ?? Number.NaN));
}

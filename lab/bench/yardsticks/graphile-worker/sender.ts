import { randomBytes, randomUUID } from "node:crypto";
import { Logger, run, runMigrations } from "graphile-worker";
import pg from "pg";
import { Agent, request } from "undici";
import { signatureHeaders } from "../../../../lib/contract/webhooks.ts";
import { until } from "../../measure/until.ts";
import { answerCalls } from "../../processes/calls.ts";

// Webhooks with graphile-worker, signed and sent like ours. Batched means ten per job with per-item retries, its local queue,
// and batch completion, as its performance docs recommend.

type Webhook = { id: string; body: string };

let pool: pg.Pool;
let perJob = 1;

const agent = new Agent({ pipelining: 1, keepAliveTimeout: 10_000 });
const secret = `whsec_${randomBytes(24).toString("base64")}`;
const silent = new Logger(() => () => undefined);
const inFlightMax = 64;

const handlers = {
  start: async ({
    databaseUrl,
    url,
    batched,
  }: {
    databaseUrl: string;
    url: string;
    batched: boolean;
  }): Promise<void> => {
    pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
    perJob = batched ? 10 : 1;
    await runMigrations({ pgPool: pool, logger: silent });
    await run({
      pgPool: pool,
      concurrency: inFlightMax / perJob,
      noHandleSignals: true,
      logger: silent,
      taskList: {
        // An array of promises tells graphile-worker which webhooks to retry.
        webhook: async (payload) =>
          Array.isArray(payload) ? payload.map((one: Webhook) => send(url, one)) : send(url, payload as Webhook),
      },
      ...(batched && {
        preset: {
          worker: { concurrentJobs: inFlightMax / perJob, localQueue: { size: 64 }, completeJobBatchDelay: 1 },
        },
      }),
    });
  },

  commit: async (count: number): Promise<void> => {
    const all = Array.from({ length: count }, newWebhook);
    const jobs: (Webhook | Webhook[])[] = perJob === 1 ? all : [];
    if (perJob > 1) for (let at = 0; at < all.length; at += perJob) jobs.push(all.slice(at, at + perJob));
    await pool.query(
      `select count(*) from graphile_worker.add_jobs(array(
         select json_populate_record(null::graphile_worker.job_spec, json_build_object('identifier', 'webhook', 'payload', p))
         from json_array_elements($1::json) p))`,
      [JSON.stringify(jobs)],
    );
  },

  commitOne: async (): Promise<{ id: string; at: number }> => {
    const webhook = newWebhook();
    const at = performance.timeOrigin + performance.now();
    await pool.query("select graphile_worker.add_job('webhook', $1::json)", [
      JSON.stringify(perJob === 1 ? webhook : [webhook]),
    ]);
    return { id: webhook.id, at };
  },

  untilDone: async (): Promise<void> => {
    const left = "select exists (select from graphile_worker._private_jobs) as left";
    await until("all jobs done", async () => (await pool.query<{ left: boolean }>(left)).rows[0]?.left === false);
  },
};

function newWebhook(): Webhook {
  const id = randomUUID();
  const event = { webhook_type: "user_updated", webhook_id: id, user_id: randomUUID(), resource_id: randomUUID() };
  return { id, body: JSON.stringify(event) };
}

async function send(url: string, { id, body }: Webhook): Promise<void> {
  const { statusCode, body: reply } = await request(url, {
    method: "POST",
    dispatcher: agent,
    headers: {
      "content-type": "application/json",
      ...signatureHeaders({ webhookId: id, sentAtSeconds: Math.floor(Date.now() / 1000), body }, [secret]),
    },
    body,
  });
  await reply.dump();
  if (statusCode !== 204) throw new Error(`The receiver returned ${statusCode}.`);
}

export type GraphileProcess = typeof handlers;

answerCalls(handlers);

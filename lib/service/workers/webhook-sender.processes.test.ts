import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { type FakeServer, startFakeServer } from "../../kit/testing/fake-server.ts";
import { inTransaction } from "../storage/database.ts";
import { insertDeliveries } from "../storage/deliveries.ts";
import { createWebhookClient, type TestClient } from "../testing/clients.ts";
import { expireLeases, settled } from "../testing/deliveries.ts";

let fake: FakeServer;
const running = new Set<ChildProcess>();
beforeEach(async () => {
  fake = await startFakeServer();
});
afterEach(async () => {
  await Promise.all([...running].map(kill));
  await fake.stop();
});

test("two worker processes send each webhook once", async () => {
  const clients = await Promise.all(Array.from({ length: 4 }, () => createWebhookClient(fake.url)));
  await Promise.all([startWorker(), startWorker()]);
  for (let commits = 0; commits < 50; commits++) await Promise.all(clients.map((client) => announce(client, 2)));
  const requests = await fake.waitFor(400);
  await Promise.all(clients.map((client) => settled(client, "delivered")));
  const webhookIds = new Set(requests.map(({ headers }) => headers["webhook-id"]));
  expect([requests.length, webhookIds.size]).toEqual([400, 400]);
});

test("a worker killed during an attempt: another sends the webhook once the lease ends", async () => {
  const client = await createWebhookClient(fake.url);
  fake.answer(() => {});
  const first = await startWorker();
  await announce(client, 1);
  await fake.waitFor(1);
  await kill(first);
  fake.answer((_request, response) => response.writeHead(204).end());
  // As if 30 s of real time had passed.
  await expireLeases(client);
  await startWorker();
  const [lost, sent] = await fake.waitFor(2);
  expect(sent?.body).toBe(lost?.body);
  expect(sent?.headers["webhook-id"]).toBe(lost?.headers["webhook-id"]);
  await settled(client, "delivered");
});

test("a worker killed between commit and sending: the next worker sends the webhook", async () => {
  const client = await createWebhookClient(fake.url);
  await kill(await startWorker());
  await announce(client, 3);
  await startWorker();
  await fake.waitFor(3);
  await settled(client, "delivered");
});

async function startWorker(): Promise<ChildProcess> {
  const worker = fork(new URL("../testing/webhook-sender-process.ts", import.meta.url), {
    env: { ...process.env, LOG_LEVEL: "silent" },
    execArgv: [],
  });
  running.add(worker);
  await once(worker, "message");
  return worker;
}

async function kill(worker: ChildProcess): Promise<void> {
  running.delete(worker);
  const exited = once(worker, "exit");
  if (worker.kill("SIGKILL")) await exited;
}

async function announce({ clientId }: TestClient, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => {
    const id = newId();
    return { clientId, webhookType: "user_updated" as const, userId: id, resourceId: id, traceId: "ab".repeat(16) };
  });
  await inTransaction((tx) => insertDeliveries(tx, events));
}

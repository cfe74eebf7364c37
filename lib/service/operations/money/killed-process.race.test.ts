import { randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { database } from "../../storage/database.ts";
import { routines } from "../../storage/schema.ts";
import { type KillMoment, startKillableApi } from "../../testing/killable-api.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import { createClientWithSeller } from "../../testing/routines.ts";

const path = "/v1/routines/book";

/** One round: an API is killed during a request, then another process gets the same request. */
async function bookAndKill(moment: KillMoment) {
  const client = await createClientWithSeller();
  const api = await startKillableApi();
  const authorization = `Bearer ${client.businessToken}`;
  // Warmed up, so that from here on every message belongs to the request.
  await fetch(`${api.url}/v1/user`, { headers: { authorization } });
  await expect.poll(async () => (await client.call("GET", "/sandbox/requests")).text).toContain("/v1/user");
  const body = {
    name: "Payout",
    amount: 12.5,
    source_id: client.operatingId,
    destination_id: client.walletId,
  };
  const headers = { "idempotency-key": randomUUID() };
  api.killAt(moment);
  const first = await fetch(`${api.url}${path}`, {
    method: "POST",
    headers: { ...headers, authorization, "content-type": "application/json" },
    body: JSON.stringify(body),
  }).then(
    ({ status }) => status,
    () => "no answer" as const,
  );
  const { wasKilled } = await api.stop();

  const isPayout = and(eq(routines.clientId, client.clientId), eq(routines.name, "Payout"));
  const before = await database().$count(routines, isPayout);
  const retry = await client.call("POST", path, { body, bearer: client.businessToken, headers });
  return { moment, wasKilled, first, before, retry, after: await database().$count(routines, isPayout) };
}

// If an answer is lost with its process, a retry still moves the money once.
test("a process killed at every message between request and answer leaves one routine after the retry", async () => {
  const rounds: Awaited<ReturnType<typeof bookAndKill>>[] = [];
  let isOver = false;
  for (let message = 1; !isOver; message++) {
    const pair = await Promise.all([bookAndKill({ message, when: "before" }), bookAndKill({ message, when: "after" })]);
    rounds.push(...pair);
    isOver = pair.every(({ wasKilled }) => !wasKilled);
  }

  for (const { moment, wasKilled, first, before, retry, after } of rounds) {
    const context = `killed ${moment.when} message ${moment.message}`;
    expect(first, context).toBe(wasKilled ? "no answer" : 201);
    expect(retry.status, context).toBe(201);
    expect(retry.headers.get("idempotent-replayed"), context).toBe(before === 1 ? "true" : null);
    expect(after, context).toBe(1);
  }
  const killed = rounds.filter(({ wasKilled }) => wasKilled);
  // Token lookup and booking. Fewer would mean that not every await was hit.
  expect(killed.length).toBeGreaterThanOrEqual(4);
  // Both sides of the commit were hit.
  expect(new Set(killed.map(({ before }) => before))).toEqual(new Set([0, 1]));
  expect(await findLedgerProblems()).toEqual([]);
}, 480_000);

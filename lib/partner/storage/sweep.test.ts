import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { sweep } from "./sweep.ts";

test("deletes what ended long ago, and a challenge only after its messages", async () => {
  const personId = newId();
  for (const [label, days] of [
    ["old", 31],
    ["young", 29],
  ] as const) {
    const challengeId = newId();
    await run("insert into attempts values ('sweep', $1, 1, now() - make_interval(days => $2))", [
      randomBytes(32),
      days - 28,
    ]);
    await run(
      `insert into sign_in_challenges (id, secret_hash, phone, code_hash, code_sent_real_at, code_expires_at, created_at)
       values ($1, '', $2, '', now(), now(), now() - make_interval(days => $3))`,
      [challengeId, label, days],
    );
    await run(
      `insert into messages (id, phone, challenge_id, text_encrypted, outcome, ends_real_at, sent_at)
       values ($1, $2, $3, '', 'shown', now(), now() - make_interval(days => $4))`,
      [newId(), label, challengeId, days],
    );
    await run(
      `insert into webhook_receipts (webhook_id, webhook_type, user_id, resource_id, trace_id, received_real_at)
       values ($1, $2, '', '', '', now() - make_interval(days => $3))`,
      [newId(), label, days],
    );
  }
  await run(
    `insert into webhook_receipts
       (webhook_id, webhook_type, user_id, resource_id, trace_id, received_real_at, next_attempt_real_at)
     values ($1, 'waiting', '', '', '', now() - interval '1 year', now())`,
    [newId()],
  );
  await run("insert into people values ($1, 'sweep@example.com', '', '', '', '', 'seller', now(), now())", [personId]);
  await run(
    "insert into sessions values ('old', $1, now() - interval '1 s'), ('young', $1, now() + interval '1 min')",
    [personId],
  );
  await run(
    `insert into inspector_entries (person_id, id, trace_id, details, occurred_real_at, kept_real_at) values
       ($1, $2, 'old', '{}', now(), now() - interval '25 h'), ($1, $3, 'young', '{}', now(), now() - interval '23 h')`,
    [personId, newId(), newId()],
  );
  for (const [name, days, confirmedDays] of [
    ["old draft", 31, null],
    ["young draft", 29, null],
    ["old batch", 31, 31],
  ] as const) {
    const batchId = newId();
    await run(
      `insert into payment_batches values
         ($1, $2, $3, '', now() - make_interval(days => $5), now() - make_interval(days => $4))`,
      [batchId, personId, name, days, confirmedDays],
    );
    await run(
      `insert into batch_payments (idempotency_key, batch_id, line, seller_user_id, amount_cents, name, state)
       values ($1, $2, 2, '', 1, $3, 'draft')`,
      [newId(), batchId, name],
    );
  }
  await sweep(partner().db);
  const kept = [{ name: "old batch" }, { name: "young draft" }];
  expect(await run("select source_id as name from payment_batches order by 1")).toEqual(kept);
  expect(await run("select name from batch_payments order by 1")).toEqual(kept);
  expect(await run("select trace_id from inspector_entries")).toEqual([{ trace_id: "young" }]);
  expect(await run("select id_hash from sessions")).toEqual([{ id_hash: Buffer.from("young") }]);
  expect(await run("select count(*)::int as count from attempts where kind = 'sweep'")).toEqual([{ count: 1 }]);
  expect(await run("select phone from sign_in_challenges")).toEqual([{ phone: "young" }]);
  expect(await run("select phone from messages")).toEqual([{ phone: "young" }]);
  expect(await run("select webhook_type from webhook_receipts order by 1")).toEqual([
    { webhook_type: "waiting" },
    { webhook_type: "young" },
  ]);
});

test("deletes all old rows, even if they are far more than one batch, and counts each batch as progress", async () => {
  await run(
    "insert into attempts select 'many', int4send(n), 1, now() - interval '3 days' from generate_series(1, 4500) as n",
  );
  const progress = vi.fn();
  await sweep(partner().db, undefined, progress);
  expect(await run("select count(*)::int as count from attempts where kind = 'many'")).toEqual([{ count: 0 }]);
  // Three batches, and one for each of the other seven tables.
  expect(progress).toHaveBeenCalledTimes(10);
});

test("a stopping worker deletes no further batch", async () => {
  await run(
    "insert into attempts select 'stop', int4send(n), 1, now() - interval '3 days' from generate_series(1, 4500) as n",
  );
  const stopping = new AbortController();
  const swept = sweep(partner().db, stopping.signal);
  stopping.abort();
  await swept;
  expect(await run("select count(*)::int as count from attempts where kind = 'stop'")).toEqual([{ count: 2500 }]);
});

async function run(statement: string, values: unknown[] = []): Promise<unknown[]> {
  return (await partner().pool.query(statement, values)).rows;
}

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { servicePool } from "../../storage/database.ts";
import { createClientWithSeller } from "../../testing/client-with-seller.ts";
import { advanceClock } from "../../testing/clock.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import { readMetrics } from "../read-metrics.ts";
import { reconcile } from "./reconcile.ts";
import { settleDueTransfers } from "./settle-transfers.ts";

describe("comparing the books with themselves", () => {
  test("finds nothing wrong where people were paid, are about to be, or were not", async () => {
    await clientWithPayouts();
    const { accounts, postings, transfers, ...found } = await reconcile();
    expect(found).toEqual({ problems: [], problemCount: 0 });
    // The funding account, the operating account and a wallet; what was funded and what was paid.
    expect([accounts, postings, transfers]).toEqual([3, 2, 3]);
    expect(await findLedgerProblems()).toEqual([]);
  });

  // [what is wrong, how it is planted, what is said of it]; $1: the account, $2: a processed transfer, $3: a pending one
  test.each([
    ["a balance", "update accounts set balance_cents = balance_cents + 1 where id = $1", /balance of .*entries sum to/],
    [
      "a held amount",
      "update accounts set held_cents = held_cents + 1 where id = $1",
      /cents held, and its holds sum to/,
    ],
    ["a missing hold", "delete from holds where transfer_id = $3", /is pending and has 0 holds/],
    [
      "a hold of another amount",
      "update holds set amount_cents = 1 where transfer_id = $3",
      /of which 0 are of its amount/,
    ],
    [
      "a hold that was left behind",
      "insert into holds (transfer_id, account_id, amount_cents) values ($2, $1, 5)",
      /is processed and has 1 holds/,
    ],
    [
      "an entry of another amount",
      "update entries set amount_cents = 7 where posting_id = $2 and amount_cents > 0",
      /not to zero/,
    ],
    ["a missing entry", "delete from entries where posting_id = $2 and amount_cents < 0", /has 1 entries, of which 1/],
    [
      "a routine that does not follow",
      "update routines set status = 'failed' where id = (select routine_id from transfers where id = $2)",
      /is processed and its routine is failed/,
    ],
    ...[
      ["access_tokens", "authorization_id", "gen_random_uuid()"],
      ["access_tokens", "client_id", "'nobody'"],
      ["access_tokens", "user_id", "gen_random_uuid()"],
      ["refresh_tokens", "authorization_id", "gen_random_uuid()"],
      ["refresh_tokens", "client_id", "'nobody'"],
      ["refresh_tokens", "user_id", "gen_random_uuid()"],
      ["routines", "client_id", "'nobody'"],
      ["routines", "user_id", "gen_random_uuid()"],
      ["transfers", "routine_id", "gen_random_uuid()"],
      ["transfers", "client_id", "'nobody'"],
      ["transfers", "user_id", "gen_random_uuid()"],
      ["transfers", "source_id", "gen_random_uuid()"],
      ["transfers", "destination_id", "gen_random_uuid()"],
      ["holds", "transfer_id", "gen_random_uuid()"],
      ["holds", "account_id", "gen_random_uuid()"],
      ["entries", "account_id", "gen_random_uuid()"],
      ["entries", "transfer_id", "gen_random_uuid()"],
      ["deliveries", "client_id", "'nobody'"],
      ["idempotency_keys", "client_id", "'nobody'"],
    ].map(([table, column, nobody]): [string, string, RegExp] => [
      `${table} whose ${column} is of nothing`,
      `update ${table} set ${column} = ${nobody} where ctid = (select ctid from ${table} limit 1)`,
      new RegExp(`of ${table} refers by ${column} to \\S+, which does not exist`),
    ]),
  ])("finds %s", async (_, plant, sentence) => {
    const { operatingId, processedId, pendingId } = await clientWithPayouts();
    await inReplicaMode(async (query) => {
      await query("begin");
      await query(
        plant.replace("$1", `'${operatingId}'`).replace("$2", `'${processedId}'`).replace("$3", `'${pendingId}'`),
      );
      await query("commit");
    });
    try {
      const { problems, problemCount } = await reconcile();
      expect(problems.join("\n")).toMatch(sentence);
      expect(problemCount).toBe(problems.length);
      expect((await readMetrics()).text).toMatch(new RegExp(`^plainbook_ledger_problems ${problemCount}$`, "m"));
    } finally {
      await forgetMoney();
    }
  });

  // More of each than is read at once.
  test("says all of them by their number, and only the first of them in words", async () => {
    const { processedId } = await clientWithPayouts();
    await inReplicaMode(async (query) => {
      await query(`insert into entries (posting_id, account_id, amount_cents, created_at)
        select gen_random_uuid(), (select id from accounts limit 1), 1, now() from generate_series(1, 4500)`);
      await query(`insert into transfers
        select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'routine_id', gen_random_uuid()))).*
        from transfers t, generate_series(1, 2500) where t.id = '${processedId}'`);
    });
    try {
      const found = await reconcile();
      expect([found.postings, found.transfers]).toEqual([4502, 2503]);
      // Each posting; each transfer, which has no entries, and twice its routine; the one account, and the sum of all.
      expect([found.problems.length, found.problemCount]).toEqual([100, 4500 + 3 * 2500 + 2]);
    } finally {
      await forgetMoney();
    }
  });
});

test("npm run reconcile ends with 0 when the books agree, with 1 when they do not, with 2 when nobody can know", {
  timeout: 60_000,
}, async () => {
  const { operatingId } = await clientWithPayouts();
  expect(await runReconcile()).toMatchObject({ code: 0, stdout: expect.stringContaining("The books agree.") });
  await servicePool().query("update accounts set held_cents = held_cents + 1 where id = $1", [operatingId]);
  expect(await runReconcile()).toMatchObject({ code: 1, stdout: expect.stringContaining(operatingId) });
  await forgetMoney();
  const nowhere = { SERVICE_DATABASE_URL: "postgres://nobody@127.0.0.1:9/nowhere" };
  expect(await runReconcile(nowhere)).toMatchObject({ code: 2 });
});

/** A client whose business paid once, failed once, and has one payout under way. */
async function clientWithPayouts() {
  const client = await createClientWithSeller();
  const { call, businessToken: bearer, operatingId, walletId } = client;
  const book = async (amount: number) => {
    const body = { name: "Payout", amount, source_id: operatingId, destination_id: walletId };
    const headers = { "idempotency-key": randomUUID() };
    const { json } = await call("POST", "/v1/routines/book", { bearer, body, headers });
    return String(json["transfer_id"]);
  };
  const [processedId, , pendingId] = [await book(7), await book(7.11), await book(7.12)];
  await advanceClock(client, 5);
  await settleDueTransfers();
  return { ...client, processedId, pendingId };
}

/** Runs statements that the database's own guards would refuse, as a fault below them would write. */
async function inReplicaMode(work: (query: (text: string) => Promise<unknown>) => Promise<unknown>): Promise<void> {
  const client = await servicePool().connect();
  try {
    await client.query("set session_replication_role = replica");
    await work((text) => client.query(text));
  } finally {
    client.release(true);
  }
}

const forgotten = [
  ...["holds", "entries", "transfers", "routines", "accounts", "deliveries", "idempotency_keys"],
  ...["access_tokens", "refresh_tokens"],
];

function forgetMoney(): Promise<void> {
  return inReplicaMode(async (query) => {
    for (const table of forgotten) await query(`delete from ${table}`);
  });
}

async function runReconcile(settings: Record<string, string> = {}): Promise<{ code: number; stdout: string }> {
  const environment = { ...process.env, ...settings };
  return promisify(execFile)(process.execPath, ["scripts/run.mjs", "scripts/reconcile.ts"], { env: environment }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  );
}

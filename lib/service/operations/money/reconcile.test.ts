import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { newId } from "../../../kit/ids.ts";
import { findAccountProblems } from "../../domain/reconciliation.ts";
import { flushEventLog } from "../../sandbox/events/event-log.ts";
import { inTransaction, servicePool } from "../../storage/database.ts";
import { advanceClock } from "../../testing/clients.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { readMetrics } from "../read-metrics.ts";
import { reconcile } from "./reconcile.ts";
import { settleDueTransfers } from "./settle-transfers.ts";

describe("a reconciliation", () => {
  test("finds no problem in processed, pending and failed payments", async () => {
    await clientWithPayouts();
    const { accounts, postings, transfers, ...found } = await reconcile();
    expect(found).toEqual({ problems: [], problemCount: 0 });
    // The funding account, the operating account and a wallet; the fundings and payments.
    expect([accounts, postings, transfers]).toEqual([3, 2, 4]);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("finds no problem in voided keys, of bookings that weren't made", async () => {
    const { call, businessToken: bearer } = await clientWithPayouts();
    for (const key of [randomUUID(), randomUUID()]) {
      const headers = { "idempotency-key": key };
      const { json } = await call("POST", "/v1/routines/book/void", { bearer, headers });
      expect(json["voided"]).toBe(true);
    }
    expect((await reconcile()).problems).toEqual([]);
  });

  test("uses one connection at a time, and none once it's done", async () => {
    await clientWithPayouts();
    await flushEventLog();
    let inUse = 0;
    let most = 0;
    const acquire = () => {
      inUse += 1;
      most = Math.max(most, inUse);
    };
    const release = () => {
      inUse -= 1;
    };
    servicePool().on("acquire", acquire).on("release", release);
    await reconcile();
    servicePool().off("acquire", acquire).off("release", release);
    expect([most, inUse]).toEqual([1, 0]);
  });

  // [problem, how it is planted, its sentence]; $1: the account, $2: a processed transfer, $3: a pending one
  test.each([
    ["a balance", "update accounts set balance_cents = balance_cents + 1 where id = $1", /balance of .*entries sum to/],
    [
      "a held amount",
      "update accounts set held_cents = held_cents + 1 where id = $1",
      /cents held, but its holds sum to/,
    ],
    ["a missing hold", "delete from holds where transfer_id = $3", /is pending but has 0 holds/],
    [
      "a hold with another amount",
      "update holds set amount_cents = 1 where transfer_id = $3",
      /has 1 holds, 0 with its amount and source/,
    ],
    [
      "a leftover hold",
      "insert into holds (transfer_id, account_id, amount_cents) values ($2, $1, 5)",
      /is processed but has 1 holds/,
    ],
    [
      "an entry with another amount",
      "update entries set amount_cents = 7 where posting_id = $2 and amount_cents > 0",
      /instead of zero/,
    ],
    ["a missing entry", "delete from entries where posting_id = $2 and amount_cents < 0", /has 1 entries, 1 correct/],
    [
      "a routine that doesn't follow its transfer",
      "update routines set status = 'failed' where id = (select routine_id from transfers where id = $2)",
      /is processed but its routine is failed/,
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
    ].map(([table, column, unknownId]): [string, string, RegExp] => [
      `${table} whose ${column} is of nothing`,
      `update ${table} set ${column} = ${unknownId} where ctid = (select ctid from ${table} limit 1)`,
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

  // Each keeps balances, entries and holds consistent, so that no other check finds it. $5: the seller's account; $6,
  // $7 and $8: another client, its transfer and its seller's account
  const routineOf = (transfer: string) => `(select routine_id from transfers where id = ${transfer})`;
  const keyOf = (transfer: string) =>
    `idempotency_keys set resource_id = %s where resource_id = ${routineOf(transfer)}`;
  const pointKey = (from: string, to: string) => `update ${keyOf(from).replace("%s", to)}`;
  const move = (cents: number) => `
    update accounts set balance_cents = balance_cents - (${cents}) where id = $1;
    update accounts set balance_cents = balance_cents + (${cents}) where id = $5`;
  const releaseHold = `
    update accounts set held_cents = held_cents - (select amount_cents from holds where transfer_id = $4) where id = $1;
    delete from holds where transfer_id = $4`;
  test.each([
    [
      "a key without a payment",
      pointKey("$2", "gen_random_uuid()"),
      /Idempotency key \S+ of \S+ \(createBookRoutine\) refers to \S+, which does not exist/,
    ],
    [
      "a key of another client's payment",
      pointKey("$2", routineOf("$7")),
      /refers to <routine of \$7>, which another request created/,
    ],
    [
      "a key of an older payment",
      pointKey("$4", routineOf("$2")),
      /refers to <routine of \$2>, which another request created/,
    ],
    [
      "a key of a newer payment",
      pointKey("$2", routineOf("$4")),
      /refers to <routine of \$4>, which another key refers to as well/,
    ],
    [
      "a key of another user's payment",
      `update idempotency_keys set user_scope = gen_random_uuid()::text where resource_id = ${routineOf("$2")}`,
      /refers to <routine of \$2>, which another request created/,
    ],
    [
      "a routine without its transfer",
      `${releaseHold}; delete from transfers where id = $4`,
      /Routine <routine of \$4> has no transfer/,
    ],
    [
      "a payment deleted except for its key",
      `${move(-700)};
       delete from deliveries where resource_id in ($2, ${routineOf("$2")}); delete from entries where transfer_id = $2;
       delete from routines where id = ${routineOf("$2")}; delete from transfers where id = $2`,
      /Idempotency key \S+ of \S+ \(createBookRoutine\) refers to <routine of \$2>, which does not exist/,
    ],
    [
      "an ended transfer without its own webhook",
      "delete from deliveries where resource_id = $2",
      /Transfer <\$2> has ended but lacks one of its two webhooks/,
    ],
    [
      "an ended transfer without its routine's webhook",
      `delete from deliveries where resource_id = ${routineOf("$2")}`,
      /Transfer <\$2> has ended but lacks one of its two webhooks/,
    ],
    [
      "a webhook about the wrong transfer",
      "update deliveries set resource_id = $3 where resource_id = $2",
      /Transfer <\$2> has ended but lacks one of its two webhooks/,
    ],
    [
      "a transfer of 88 days ago without its webhooks",
      `insert into transfers select (jsonb_populate_record(t, jsonb_build_object('routine_id', gen_random_uuid(),
         'id', first_id_at(now() - interval '88 days')))).* from transfers t where t.id = $2`,
      /Transfer \S+ has ended but lacks one of its two webhooks/,
    ],
    [
      "a transfer of another client",
      "update transfers set client_id = $6 where id = $4",
      /Row <\$4> of transfers refers by routine_id to \S+, which belongs to another client or user/,
    ],
    [
      "a transfer whose user isn't its routine's",
      "update transfers set user_id = (select user_id from accounts where id = $5) where id = $4",
      /Row <\$4> of transfers refers by routine_id to \S+, which belongs to another client or user/,
    ],
    [
      "a transfer to another client's account",
      "update transfers set destination_id = $8 where id = $4",
      /Row <\$4> of transfers refers by destination_id to <\$8>, which belongs to another client or user/,
    ],
    [
      "a routine of another client's user",
      `update routines set client_id = $6 where id = ${routineOf("$4")}`,
      /Row <routine of \$4> of routines refers by user_id to \S+, which belongs to another client or user/,
    ],
    [
      "a pending transfer without a due time",
      "update transfers set due_real_at = null where id = $4",
      /Transfer <\$4> is pending but will never fall due/,
    ],
    [
      "a pending transfer that is due more than a day late",
      "update transfers set due_real_at = now() + interval '25 hours' where id = $4",
      /Transfer <\$4> is pending but will never fall due/,
    ],
    [
      "a pending transfer that is never due",
      "update transfers set due_real_at = 'infinity' where id = $4",
      /Transfer <\$4> is pending but will never fall due/,
    ],
    [
      "a pending transfer quarantined for more than two hours",
      "insert into quarantine (kind, id, reason, retry_real_at) values ('transfer', $4::text, 'a test', now() + interval '3 hours')",
      /Transfer <\$4> is pending but will never fall due/,
    ],
    [
      "a posting without a transfer between two users",
      `${move(5)};
       insert into entries (posting_id, account_id, amount_cents, created_at)
       select gen_random_uuid(), id, cents, now() from (values ($1::uuid, -5), ($5::uuid, 5)) as e (id, cents)`.replace(
        "select gen_random_uuid()",
        "select $9::uuid",
      ),
      /Posting <\$9> belongs to no transfer and involves no funding account/,
    ],
    [
      "a posting of a transfer that does not exist",
      `${move(5)};
       insert into entries (posting_id, account_id, transfer_id, amount_cents, created_at)
       select $9::uuid, id, $9::uuid, cents, now() from (values ($1::uuid, -5), ($5::uuid, 5)) as e (id, cents)`,
      /Row <\$9> of entries refers by transfer_id to <\$9>, which does not exist/,
    ],
    [
      "a posting whose id isn't its transfer's",
      "update entries set posting_id = $9 where posting_id = $2",
      /Posting <\$9> belongs to no transfer/,
    ],
    [
      "a transfer that was posted between other accounts",
      `${move(-700)};
       update accounts set balance_cents = balance_cents + 700 where id = $8;
       update accounts set balance_cents = balance_cents - 700 where id = $1;
       update entries set account_id = $8 where posting_id = $2 and amount_cents > 0`,
      /Transfer <\$2> is processed but has 2 entries, 1 correct/,
    ],
    [
      "a processed transfer without a posting",
      `${releaseHold}; update transfers set status = 'processed' where id = $4;
       update routines set status = 'completed' where id = ${routineOf("$4")}`,
      /Transfer <\$4> is processed but has 0 entries/,
    ],
    [
      "a settled amount that isn't the transfer's",
      "update transfers set amount_cents = 1 where id = $2",
      /Transfer <\$2> is processed but has 2 entries, 0 correct/,
    ],
    [
      "an account with another account's money",
      move(1),
      /Account <\$1> has a balance of \S+ cents, but its entries sum to/,
    ],
  ])("finds %s, and names the row", async (_, plant, sentence) => {
    const [client, otherClient] = [await clientWithPayouts(), await clientWithPayouts()];
    const values = [
      client.operatingId,
      client.processedId,
      client.pendingId,
      client.waitingId,
      client.walletId,
      otherClient.clientId,
      otherClient.processedId,
      otherClient.walletId,
      newId(),
    ];
    const fill = (text: string) => text.replaceAll(/\$(\d)/g, (_all, index) => `'${values[Number(index) - 1]}'`);
    const routines = new Map<string, string>();
    for (const index of [2, 4, 7]) {
      const { rows } = await servicePool().query("select routine_id as id from transfers where id = $1", [
        values[index - 1],
      ]);
      routines.set(String(index), rows[0]?.id);
    }
    const named = new RegExp(
      sentence.source
        .replaceAll(/<routine of \\\$(\d)>/g, (_all, index) => routines.get(index) ?? "")
        .replaceAll(/<\\\$(\d)>/g, (_all, index) => values[Number(index) - 1] ?? ""),
    );
    expect((await reconcile()).problems).toEqual([]);
    await inReplicaMode((query) => query(fill(plant)));
    try {
      expect((await reconcile()).problems.join("\n")).toMatch(named);
    } finally {
      await forgetMoney();
    }
  });

  test("finds missing constraints and triggers of the database", async () => {
    const name = "idempotency_keys_client_id_user_scope_operation_key_pk";
    await servicePool().query(`alter table idempotency_keys drop constraint ${name}`);
    try {
      const { problems } = await reconcile();
      expect(problems).toEqual([`The database's constraint ${name} of idempotency_keys is missing.`]);
    } finally {
      await servicePool().query(
        `alter table idempotency_keys add constraint ${name} primary key (client_id, user_scope, operation, key)`,
      );
    }
  });

  // More of each than a page.
  test("counts all problems and lists the first ones", async () => {
    const { operatingId, processedId } = await clientWithPayouts();
    await inReplicaMode(async (query) => {
      await query(`insert into entries (posting_id, account_id, amount_cents, created_at)
        select gen_random_uuid(), '${operatingId}', 1, now() from generate_series(1, 4500)`);
      await query(`insert into transfers
        select (jsonb_populate_record(t, jsonb_build_object('routine_id', gen_random_uuid(),
          'id', left(first_id_at(now())::text, 24) || lpad(to_hex(i), 12, '0')))).*
        from transfers t, generate_series(1, 2500) i where t.id = '${processedId}'`);
    });
    try {
      const found = await reconcile();
      expect([found.postings, found.transfers]).toEqual([4502, 2504]);
      // Each posting's sum and owner; each transfer's entries, webhooks and, twice, routine; the one account.
      expect([found.problems.length, found.problemCount]).toEqual([100, 2 * 4500 + 4 * 2500 + 1]);
    } finally {
      await forgetMoney();
    }
  });
});

test("an account whose holds exceed its balance is overdrawn, except the treasury's", () => {
  const account = { id: "a", isFunding: false, balanceCents: 5n, heldCents: 6n, entriesCents: 5n, holdsCents: 6n };
  expect(findAccountProblems(account)).toEqual(["Account a is overdrawn: 5 cents, 6 held."]);
  expect(findAccountProblems({ ...account, balanceCents: 6n, entriesCents: 6n })).toEqual([]);
  expect(findAccountProblems({ ...account, isFunding: true })).toEqual([]);
});

// Concurrent bookings, fundings, settlements, decisions and clock moves.
test("a busy, consistent ledger has no false positives", async () => {
  const clients = await Promise.all(Array.from({ length: 3 }, () => clientWithPayouts()));
  let isOver = false;
  const until = async (work: () => Promise<unknown>) => {
    while (!isOver) await work();
  };
  let booked = 0;
  const busy = clients.flatMap((client) => {
    const { call, businessToken: bearer, operatingId, walletId } = client;
    const book = async () => {
      const body = { name: "Payout", amount: 0.01, source_id: operatingId, destination_id: walletId };
      const { status } = await call("POST", "/v1/routines/book", {
        bearer,
        body,
        headers: { "idempotency-key": randomUUID() },
      });
      if (status === 201) booked++;
    };
    const fund = () => call("POST", `/sandbox/accounts/${operatingId}/fund`, { body: { amount: 1 } });
    return [until(book), until(book), until(fund), until(() => advanceClock(client, 5)), until(settleDueTransfers)];
  });
  try {
    for (let round = 0; round < 10; round++) expect((await reconcile()).problems).toEqual([]);
  } finally {
    isOver = true;
    await Promise.all(busy);
  }
  expect(booked).toBeGreaterThan(50);
});

test("npm run reconcile exits with 0 without problems, 1 with problems, 2 when it could not run", async () => {
  const { operatingId } = await clientWithPayouts();
  expect(await runReconcile()).toMatchObject({ code: 0, stdout: expect.stringContaining("The books agree.") });
  await servicePool().query("update accounts set held_cents = held_cents + 1 where id = $1", [operatingId]);
  expect(await runReconcile()).toMatchObject({ code: 1, stdout: expect.stringContaining(operatingId) });
  await forgetMoney();
  const unreachable = { SERVICE_DATABASE_URL: "postgres://gangway@127.0.0.1:9/unreachable" };
  expect(await runReconcile(unreachable)).toMatchObject({ code: 2 });
});

/**
 * A client whose business has one processed and one failed payment, and two pending ones, one of which waits for a
 * decision.
 */
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
  return { ...client, processedId, pendingId, waitingId: await book(7.13) };
}

/** Runs statements that the database's triggers would refuse, in one transaction, so that a pooler keeps their connection. */
function inReplicaMode(work: (query: (text: string) => Promise<unknown>) => Promise<unknown>): Promise<void> {
  return inTransaction(async (_tx, connection) => {
    await connection.query("set local session_replication_role = replica");
    await work((text) => connection.query(text));
  });
}

const forgotten = [
  ...["holds", "entries", "transfers", "routines", "accounts", "deliveries", "idempotency_keys"],
  ...["access_tokens", "refresh_tokens", "quarantine"],
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

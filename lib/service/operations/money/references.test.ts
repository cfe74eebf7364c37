import { randomBytes, randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLockTimeout } from "../../../kit/database-errors.ts";
import { newId } from "../../../kit/ids.ts";
import { waitForWriters } from "../../sandbox/storage/clocks.ts";
import { insertAccount } from "../../storage/accounts.ts";
import { database, servicePool } from "../../storage/database.ts";
import { advanceClock, createTestClient } from "../../testing/clients.ts";
import { holdRows } from "../../testing/hold-rows.ts";
import { bookTestRoutine, fundTestBusiness, insertTestSeller, transferIdOf } from "../../testing/routines.ts";
import { reconcile } from "./reconcile.ts";
import { settleDueTransfers } from "./settle-transfers.ts";

// The guarantees of the nineteen foreign keys that triggers replaced, each in a transaction that is rolled back.

type Row = Record<string, unknown>;
const tables = [
  ...(["access_tokens", "refresh_tokens"] as const),
  ...(["routines", "transfers", "holds", "entries", "deliveries", "idempotency_keys"] as const),
];
type Table = (typeof tables)[number];

/** [table, column, referenced table] */
const references: [Table, string, string][] = [
  ["access_tokens", "authorization_id", "authorizations"],
  ["access_tokens", "client_id", "clients"],
  ["access_tokens", "user_id", "users"],
  ["refresh_tokens", "authorization_id", "authorizations"],
  ["refresh_tokens", "client_id", "clients"],
  ["refresh_tokens", "user_id", "users"],
  ["routines", "client_id", "clients"],
  ["routines", "user_id", "users"],
  ["transfers", "routine_id", "routines"],
  ["transfers", "client_id", "clients"],
  ["transfers", "user_id", "users"],
  ["transfers", "source_id", "accounts"],
  ["transfers", "destination_id", "accounts"],
  ["holds", "transfer_id", "transfers"],
  ["holds", "account_id", "accounts"],
  ["entries", "account_id", "accounts"],
  ["entries", "transfer_id", "transfers"],
  ["deliveries", "client_id", "clients"],
  ["idempotency_keys", "client_id", "clients"],
];
const parents = ["clients", "users", "authorizations", "accounts", "routines", "transfers"];
const key: Record<Table, string> = {
  access_tokens: "token_hash",
  refresh_tokens: "token_hash",
  routines: "id",
  transfers: "id",
  holds: "transfer_id",
  entries: "posting_id",
  deliveries: "id",
  idempotency_keys: "key",
};

let ids: Record<"clients" | "users" | "authorizations" | "accounts" | "wallets" | "routines" | "transfers", string>;
let connection: pg.PoolClient;

beforeAll(async () => {
  const client = await createTestClient();
  const business = await fundTestBusiness(client, [1_000]);
  const { walletId } = await insertTestSeller(client);
  const [sourceId = ""] = business.accountIds;
  const order = { sourceId, destinationId: walletId, amountCents: 1, idempotencyKey: randomUUID() };
  const booked = await bookTestRoutine(business, order);
  await advanceClock(client, 5);
  await settleDueTransfers();
  await bookTestRoutine(business, { ...order, idempotencyKey: randomUUID() });
  const { rows } = await servicePool().query<{ id: string }>("select id from authorizations where user_id = $1", [
    business.userId,
  ]);
  ids = {
    clients: client.clientId,
    users: business.userId,
    authorizations: rows[0]?.id ?? "",
    accounts: sourceId,
    wallets: walletId,
    routines: "routine" in booked ? booked.routine.id : "",
    transfers: transferIdOf(booked),
  };
  connection = await servicePool().connect();
});
afterAll(() => connection.release());

/** Tokens, a routine, its transfer with hold, entries, a webhook and a key, which refer to each other and to `ids`. */
function newRows(): Record<Table, Row[]> {
  const [routineId, transferId, at] = [newId(), newId(), new Date()];
  const owner = { client_id: ids.clients, user_id: ids.users };
  const times = { created_at: at, updated_at: at };
  const entry = { posting_id: transferId, transfer_id: transferId, created_at: at };
  const token = () => {
    const hash = `\\x${randomBytes(32).toString("hex")}`;
    return { token_hash: hash, authorization_id: ids.authorizations, ...owner, expires_at: at, created_at: at };
  };
  return {
    access_tokens: [{ ...token(), superseded_at: at }],
    refresh_tokens: [token()],
    routines: [{ id: routineId, ...owner, name: "Payout", status: "active", trace_id: "", ...times }],
    transfers: [
      {
        ...{ id: transferId, routine_id: routineId, ...owner, source_id: ids.accounts, destination_id: ids.wallets },
        ...{ amount_cents: 5, status: "pending", due_real_at: at, ...times },
      },
    ],
    holds: [{ transfer_id: transferId, account_id: ids.accounts, amount_cents: 5 }],
    entries: [
      { ...entry, account_id: ids.accounts, amount_cents: -5 },
      { ...entry, account_id: ids.wallets, amount_cents: 5 },
    ],
    deliveries: [
      {
        ...{ id: newId(), client_id: ids.clients, webhook_type: "user_updated", resource_id: ids.users, body: "{}" },
        ...{ status: "pending", attempts: 0, is_due: true, trace_id: "", created_at: at },
      },
    ],
    idempotency_keys: [
      {
        ...{ client_id: ids.clients, user_scope: "", operation: "createBookRoutine", key: randomUUID() },
        ...{ fingerprint: "", resource_id: routineId, created_real_at: at },
      },
    ],
  };
}

/** Inserts them in the order of their references, one statement per table, up to and including `last`. */
async function insertRows(rows: Record<Table, Row[]>, last?: Table): Promise<void> {
  for (const table of last ? tables.slice(0, tables.indexOf(last) + 1) : tables) {
    await insertInto(table, rows[table]);
  }
}

async function insertInto(table: Table, rows: Row[], on: pg.PoolClient = connection): Promise<void> {
  await on.query(`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`, [
    JSON.stringify(rows),
  ]);
}

async function rolledBack(work: () => Promise<unknown>): Promise<void> {
  await connection.query("begin");
  try {
    await work();
  } finally {
    await connection.query("rollback");
  }
}

const unknownId = (column: string) => (column === "client_id" ? "nobody" : randomUUID());
const refusedAs = (constraint: string, code: string) => expect.objectContaining({ code, constraint });

test("rows with valid references are inserted", () => rolledBack(() => insertRows(newRows())));

test("rows of one statement may refer to each other, in any order", async () => {
  const rows = newRows();
  const inserts = tables.map(
    (table, index) =>
      `i${index} as (insert into ${table} select * from jsonb_populate_recordset(null::${table}, $${index + 1}::jsonb))`,
  );
  await rolledBack(() =>
    connection.query(
      `with ${inserts.reverse().join(", ")} select`,
      tables.map((table) => JSON.stringify(rows[table])),
    ),
  );
});

describe.each(references)("%s.%s of %s", (table, column, parent) => {
  test("a row with a dangling reference is refused, even among many", async () => {
    const [good, bad] = [newRows(), newRows()];
    await rolledBack(async () => {
      const before = tables[tables.indexOf(table) - 1];
      if (before) for (const rows of [good, bad]) await insertRows(rows, before);
      const dangling = bad[table].map((row) => ({ ...row, [column]: unknownId(column) }));
      await expect(insertInto(table, [...good[table], ...dangling])).rejects.toEqual(
        refusedAs(`${table}_references`, "23503"),
      );
    });
  });

  test("a row cannot be updated to a dangling reference", async () => {
    await rolledBack(async () => {
      const rows = newRows();
      await insertRows(rows);
      const change = connection.query(`update ${table} set ${column} = $1 where ${key[table]} = $2`, [
        unknownId(column),
        rows[table][0]?.[key[table]],
      ]);
      const refused =
        table === "entries"
          ? expect.objectContaining({ message: "entries cannot be updated or deleted" })
          : refusedAs(`${table}_references_stay`, "23001");
      await expect(change).rejects.toEqual(refused);
    });
  });

  test("a referenced row cannot be deleted or get another id", async () => {
    const id = ids[parent as keyof typeof ids];
    for (const statement of [
      `delete from ${parent} where id = $1`,
      `update ${parent} set id = ${parent === "clients" ? "'another'" : "gen_random_uuid()"} where id = $1`,
    ]) {
      await rolledBack(async () => {
        await expect(connection.query(statement, [id])).rejects.toEqual(refusedAs(`${parent}_stay`, "23001"));
      });
    }
    await rolledBack(async () => {
      const truncation = connection.query(`truncate ${parent} cascade`);
      await expect(truncation).rejects.toEqual(refusedAs(`${parent}_stay`, "23001"));
    });
  });
});

describe("rules beyond those of foreign keys", () => {
  // [what, table, the changed row]
  const others: [string, Table, () => Promise<Row>][] = [
    [
      "a routine of another client's user",
      "routines",
      async () => ({ client_id: (await createTestClient()).clientId }),
    ],
    [
      "a transfer of another user than its routine",
      "transfers",
      async () => {
        const { userId: user_id, walletId: source_id } = await newSeller();
        return { user_id, source_id };
      },
    ],
    [
      "a transfer of another client than its routine",
      "transfers",
      async () => {
        const { clientId: client_id } = await createTestClient();
        const open = () =>
          insertAccount(database(), { clientId: client_id, userId: ids.users, name: "", type: "wallet", mask: "" });
        return { client_id, source_id: (await open()).id, destination_id: (await open()).id };
      },
    ],
    ["a transfer from another user's account", "transfers", async () => ({ source_id: ids.wallets })],
    [
      "a transfer to another client's account",
      "transfers",
      async () => ({ destination_id: (await insertTestSeller(await createTestClient())).walletId }),
    ],
    ["a hold on another account than its transfer's source", "holds", async () => ({ account_id: ids.wallets })],
    [
      "an entry of an account that its transfer does not concern",
      "entries",
      async () => ({ account_id: (await newSeller()).walletId }),
    ],
  ];
  const newSeller = () => insertTestSeller({ clientId: ids.clients });

  test.each(others)("%s is refused", async (_, table, change) => {
    const rows = newRows();
    const [first, ...rest] = rows[table];
    const changed = { ...first, ...(await change()) };
    await rolledBack(async () => {
      const before = tables[tables.indexOf(table) - 1];
      if (before) await insertRows(rows, before);
      await expect(insertInto(table, [changed, ...rest])).rejects.toEqual(refusedAs(`${table}_references`, "23503"));
    });
  });

  test("an entry without a transfer needs an account", async () => {
    const [debit, credit] = newRows().entries.map((row) => ({ ...row, transfer_id: null }));
    await rolledBack(() => insertInto("entries", [debit ?? {}, credit ?? {}]));
    await rolledBack(async () => {
      const dangling = { ...credit, account_id: randomUUID() };
      await expect(insertInto("entries", [debit ?? {}, dangling])).rejects.toEqual(
        refusedAs("entries_references", "23503"),
      );
    });
  });
});

describe("concurrent transactions", () => {
  test.each(parents)("deleting from %s is refused while a reference is being written", async (parent) => {
    const id = ids[parent as keyof typeof ids];
    await rolledBack(async () => {
      await insertRows(newRows());
      // From another connection, and at once: it doesn't even wait.
      const deletion = servicePool().query(`delete from ${parent} where id = $1`, [id]);
      await expect(deletion).rejects.toEqual(refusedAs(`${parent}_stay`, "23001"));
    });
  });

  test("an uncommitted row of another transaction cannot be referenced", async () => {
    const rows = newRows();
    const other = await servicePool().connect();
    await rolledBack(async () => {
      await insertRows(rows, "routines");
      await expect(insertInto("transfers", rows.transfers, other)).rejects.toEqual(
        refusedAs("transfers_references", "23503"),
      );
    });
    other.release();
  });

  test("concurrent bookings, settlements, deletions and new ids leave no dangling reference", async () => {
    const client = await createTestClient();
    const business = await fundTestBusiness(client, [1_000]);
    const { walletId: destinationId } = await insertTestSeller(client);
    const [sourceId = ""] = business.accountIds;
    let booked = 0;
    // TRUNCATE waits for the whole table and blocks everything behind it; a booking gives up sooner.
    const book = async () => {
      try {
        const { kind } = await bookTestRoutine(business, { sourceId, destinationId, amountCents: 1 });
        if (kind === "created") booked++;
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
      }
    };
    const attack = async (parent: string) => {
      const statements = [
        `delete from ${parent}`,
        `update ${parent} set id = md5(id::text)::uuid`,
        `truncate ${parent} cascade`,
      ];
      for (const statement of statements) await expect(servicePool().query(statement)).rejects.toThrow();
    };
    for (let round = 0; round < 5; round++) {
      const work = [...Array.from({ length: 20 }, book), ...parents.map(attack), settleDueTransfers()];
      await Promise.all(work);
      await advanceClock(client, 5);
    }
    await settleDueTransfers();
    expect(booked).toBeGreaterThan(0);
    expect((await reconcile()).problems).toEqual([]);
  });

  test.each(["access_tokens", "refresh_tokens", "routines"] as const)(
    "a clock reset waits for %s that are being written",
    async (table) => {
      const held = await holdRows("select", []);
      await connection.query("begin");
      await insertInto(table, newRows()[table]);
      let hasWaited = false;
      const waiting = waitForWriters(database(), ids.clients).then(() => {
        hasWaited = true;
      });
      await held.waiters(1);
      expect(hasWaited).toBe(false);
      await connection.query("commit");
      await waiting;
      await held.release();
    },
  );
});

// A plan is kept while tables grow, so one that scans a small table would scan a large one too.
test("every check uses an index, even on small tables", async () => {
  await servicePool().query("analyze");
  const fresh = await servicePool().connect();
  // Plans of this connection may be older than the statistics.
  await fresh.query("discard plans");
  const scans = async () => {
    const { rows } = await fresh.query<{ name: string; scans: number }>(
      "select relname as name, seq_scan::int as scans from pg_stat_xact_user_tables where relname = any ($1) order by 1",
      [parents],
    );
    return rows;
  };
  await fresh.query("begin");
  const before = await scans();
  const rows = newRows();
  for (const table of tables) await insertInto(table, rows[table], fresh);
  expect(await scans()).toEqual(before);
  await fresh.query("rollback");
  fresh.release();
});

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import pg from "pg";
import { createBatcher } from "../../../../lib/kit/batcher.ts";
import { type Round, type RoundLength, runClosedLoop, type Work } from "../../load/round.ts";
import { answerCalls } from "../../processes/calls.ts";

// A plain SQL ledger in one Node process without HTTP: each transfer with its idempotency key in one transaction.

/** `batched` combines transfers that arrive during a transaction into the next one. */
export type LedgerLoad = { sources: number; destinations: number; callers: number; batched: boolean };

type Transfer = { key: string; sourceId: string; destinationId: string };

let pool: pg.Pool;
let actors: Work[] = [];

const handlers = {
  start: async ({ databaseUrl }: { databaseUrl: string }): Promise<void> => {
    pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
    await pool.query(readFileSync(new URL("./schema.sql", import.meta.url), "utf8"));
  },

  prepare: async ({ sources, destinations, callers, batched }: LedgerLoad): Promise<void> => {
    const sourceIds = await openAccounts(sources, 1_000_000_000);
    const destinationIds = await openAccounts(destinations, 0);
    const inBatches = createBatcher({ run: transferTogether });
    const transfer = batched ? inBatches : transferAlone;
    let turn = 0;
    const work = () => {
      turn++;
      const sourceId = sourceIds[turn % sourceIds.length] ?? "";
      const destinationId = destinationIds[turn % destinationIds.length] ?? "";
      return transfer({ key: randomUUID(), sourceId, destinationId });
    };
    actors = Array.from({ length: callers }, () => work);
  },

  closedLoop: (length: RoundLength): Promise<Round> => runClosedLoop(actors, length),
};

async function openAccounts(count: number, balance: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    "insert into ledger_accounts (balance, allow_negative_balance) select $2, false from generate_series(1, $1) returning id",
    [count, balance],
  );
  return rows.map(({ id }) => id);
}

/** One transaction with the key and the transfer. False for an existing key. */
function transferAlone({ key, sourceId, destinationId }: Transfer): Promise<boolean> {
  return inTransaction(async (client) => {
    const claimed = await client.query({
      name: "claim-key",
      text: "insert into idempotency_keys (key) values ($1) on conflict do nothing",
      values: [key],
    });
    if (claimed.rowCount === 0) return false;
    await client.query({
      name: "transfer",
      text: `
        update idempotency_keys set transfer_id = (ledger_create_transfers(array[($2, $3, 0.01)::transfer_request]))[1]
        where key = $1`,
      values: [key, sourceId, destinationId],
    });
    return true;
  });
}

function transferTogether(transfers: Transfer[]): Promise<boolean[]> {
  return inTransaction(async (client) => {
    const keys = transfers.map(({ key }) => key);
    const claimed = await client.query<{ key: string }>({
      name: "claim-keys",
      text: "insert into idempotency_keys (key) select unnest($1::uuid[]) on conflict do nothing returning key",
      values: [keys],
    });
    const newKeys = new Set(claimed.rows.map(({ key }) => key));
    const newTransfers = transfers.filter(({ key }) => newKeys.has(key));
    await client.query({
      name: "transfers",
      text: `
        with made as (
          select ledger_create_transfers(array(
            select (s, d, 0.01)::transfer_request from unnest($2::uuid[], $3::uuid[]) with ordinality r (s, d, n) order by n
          )) as ids
        )
        update idempotency_keys k set transfer_id = m.id
        from (select unnest($1::uuid[]) as key, unnest(ids) as id from made) m where k.key = m.key`,
      values: [
        newTransfers.map(({ key }) => key),
        newTransfers.map(({ sourceId }) => sourceId),
        newTransfers.map(({ destinationId }) => destinationId),
      ],
    });
    return keys.map((key) => newKeys.has(key));
  });
}

async function inTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const done = await work(client);
    await client.query("commit");
    return done;
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}

export type LedgerProcess = typeof handlers;

answerCalls(handlers);

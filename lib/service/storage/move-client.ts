import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { serverOptions, WritableClient } from "../../kit/writable-client.ts";
import { clientHint } from "../domain/client-hint.ts";
import { channels } from "./channels.ts";
import { type ClientTable, clientTables } from "./client-rows.ts";
import { eventWritingLock } from "./sandbox-events.ts";

// A client's rows go from one database to another (docs/decisions/0065). In the new one all of it is one transaction: nobody
// sees a part of a client there, and whatever breaks leaves nothing behind.

/** What a database says of a client: it is served there, it was but lives elsewhere now, or it was never there. */
export type Residence = "here" | "away" | "unknown";

/**
 * A connection for a move, whose statements may take as long as a large client's rows do. `url` must lead to PostgreSQL itself
 * and not to a pooler of transactions.
 */
export async function connectForMove(url: string): Promise<MoveConnection> {
  const connection = new WritableClient({
    ...serverOptions(url),
    connectionTimeoutMillis: 5000,
    lock_timeout: 5000,
    application_name: "gangway-client-move",
  });
  // A connection that breaks while nothing is asked of it says so at the next question.
  connection.on("error", () => undefined);
  await connection.connect();
  // Rows are compared as text, so both sides must write it the same way.
  await connection.query(
    "set timezone = 'UTC'; set intervalstyle = 'postgres'; set datestyle = 'ISO'; set bytea_output = 'hex'",
  );
  await connection.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
  return connection;
}

/** Where a client lives, as this database has it. */
export async function findResidence(connection: MoveConnection, clientId: string): Promise<Residence> {
  const { rows } = await connection.query<{ isAway: boolean }>(
    'select away_since_real_at is not null as "isAway" from clients where id = $1',
    [clientId],
  );
  if (!rows[0]) return "unknown";
  return rows[0].isAway ? "away" : "here";
}

/** Another client that is served in this database and for which the same digits stand; a router cannot tell the two apart. */
export async function findClientOfSameHint(connection: MoveConnection, clientId: string): Promise<string | undefined> {
  const { rows } = await connection.query<{ id: string }>(
    `select id from clients
     where id <> $1 and away_since_real_at is null and starts_with(encode(sha256(convert_to(id, 'UTF8')), 'hex'), $2)`,
    [clientId, clientHint(clientId)],
  );
  return rows[0]?.id;
}

/** What identifies the schema of a database: the hashes of its migrations. */
export async function readSchema(connection: MoveConnection): Promise<string> {
  const { rows } = await connection.query<{ hash: string }>(
    "select hash from drizzle.__drizzle_migrations order by created_at",
  );
  return rows.map(({ hash }) => hash).join(" ");
}

/** One of a move's connections. */
export type MoveConnection = pg.Client;

/** Begins to read everything as it is at this moment. */
export async function beginReading(connection: MoveConnection): Promise<void> {
  await connection.query("begin isolation level repeatable read, read only");
}

/** Ends what was begun, and keeps what it did. */
export async function commit(connection: MoveConnection): Promise<void> {
  await connection.query("commit");
}

/** Begins the transaction that takes a client in, and deletes what an earlier stay has left in the tables that are copied early. The owner of the tables needs the right to `set session_replication_role`. */
export async function beginTakingIn(connection: MoveConnection, clientId: string): Promise<void> {
  await connection.query("begin");
  await connection.query("create temporary table moved_rows (line json) on commit drop");
  await passOverTriggers(connection);
  for (const table of clientTables.toReversed()) {
    if (table.isCopiedEarly) await deleteRows(connection, table, clientId);
  }
}

/**
 * Keeps everybody else from writing events until the transaction ends. Before any event is touched, and the client's own row:
 * whoever writes events holds this lock and then needs those.
 */
export async function holdEvents(connection: MoveConnection): Promise<void> {
  await connection.query("select pg_advisory_xact_lock($1)", [eventWritingLock]);
}

async function deleteRows(connection: MoveConnection, { name, ofClient }: ClientTable, clientId: string) {
  await connection.query(`delete from ${name} t where ${ofClient}`, [clientId]);
}

/** What was written from now on is newer than this. */
export async function readAge(connection: MoveConnection): Promise<string> {
  const { rows } = await connection.query<{ age: string }>(
    "select pg_snapshot_xmin(pg_current_snapshot())::text as age",
  );
  return rows[0]?.age ?? "0";
}

/** The way from one database to the other, each in its transaction. */
export type Move = { source: MoveConnection; target: MoveConnection; clientId: string };

/** Copies all rows of a table, of which the target has none. Returns how many. */
export function copyRows(move: Move, table: ClientTable): Promise<number> {
  return passRows(move, table, {
    take: (lines) =>
      move.target.query(
        `insert into ${table.name} overriding system value select * from json_populate_recordset(null::${table.name}, $1)`,
        [lines],
      ),
  });
}

/** Brings a table of the target up to date with what was written since `age`. Returns how many rows that were. */
export async function copyNewerRows(move: Move, table: ClientTable, age: string): Promise<number> {
  const { target } = move;
  const count = await passRows(move, table, {
    since: age,
    take: (lines) => target.query("insert into moved_rows select value from json_array_elements($1)", [lines]),
  });
  if (count > 0) {
    // The older versions of all of them first, because a unique index may not allow the old one of one row beside the new of another.
    const key = await keyOf(target, table.name);
    const isSame = key.map((column) => `t.${column} = n.${column}`).join(" and ");
    await target.query(
      `delete from ${table.name} t using moved_rows m, json_populate_record(null::${table.name}, m.line) n where ${isSame}`,
    );
    await target.query(
      `insert into ${table.name} overriding system value
       select n.* from moved_rows m, json_populate_record(null::${table.name}, m.line) n`,
    );
    await target.query("truncate moved_rows");
  }
  return count;
}

/** Copies a table, and deletes what there was of it. Returns how many rows it has. */
export async function copyRowsAnew(move: Move, table: ClientTable): Promise<number> {
  await deleteRows(move.target, table, move.clientId);
  return copyRows(move, table);
}

async function passRows(
  { source, clientId }: Move,
  { name, ofClient, rowsAtOnce }: ClientTable,
  { since, take }: { since?: string; take: (lines: string) => Promise<unknown> },
): Promise<number> {
  // By age and not by number, which begins anew every four thousand million transactions.
  const isNewer = since === undefined ? "true" : "age(t.xmin) <= age($2::text::xid8::xid)";
  await source.query(
    `declare rows_of_client no scroll cursor for
     select row_to_json(t)::text as line from ${name} t where ${ofClient} and ${isNewer}`,
    since === undefined ? [clientId] : [clientId, since],
  );
  let count = 0;
  for (;;) {
    const { rows } = await source.query<{ line: string }>(`fetch ${rowsAtOnce} from rows_of_client`);
    if (rows.length === 0) break;
    count += rows.length;
    await take(`[${rows.map(({ line }) => line).join(",")}]`);
  }
  await source.query("close rows_of_client");
  return count;
}

async function keyOf(connection: MoveConnection, table: string): Promise<string[]> {
  const { rows } = await connection.query<{ column: string }>(
    `select attname::text as column from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey)
     where indrelid = $1::regclass and indisprimary`,
    [table],
  );
  return rows.map(({ column }) => column);
}

/** Of each of these tables, how many rows a client has and a sum over all that stands in them. */
export async function readContents(
  connection: MoveConnection,
  clientId: string,
  tables: ClientTable[],
): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  for (const { name, ofClient } of tables) {
    const { rows } = await connection.query<{ text: string }>(
      `select count(*) || ' rows, ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as text from ${name} t where ${ofClient}`,
      [clientId],
    );
    contents.set(name, rows[0]?.text ?? "");
  }
  return contents;
}

/** Takes the client itself in, from now on served here, and wakes the workers when the transaction commits. After `holdEvents`. */
export async function takeInClient({ source, target, clientId }: Move): Promise<void> {
  const { rows } = await source.query<{ line: string }>(
    "select row_to_json(t)::text as line from clients t where id = $1",
    [clientId],
  );
  // A row that an earlier stay has left is changed and not replaced, so that nobody who looks for it finds none.
  const { rows: columns } = await target.query<{ name: string }>(
    "select quote_ident(attname) as name from pg_attribute where attrelid = 'clients'::regclass and attnum > 0 and not attisdropped and attname <> 'id'",
  );
  await target.query(
    `insert into clients select n.* from json_populate_record(null::clients, $1::json) c,
       json_populate_record(c, '{"away_since_real_at": null}') n
     on conflict (id) do update set ${columns.map(({ name }) => `${name} = excluded.${name}`).join(", ")}`,
    [rows[0]?.line],
  );
  // Its events have numbers of the other database: those that come must have higher ones.
  const sequence = "pg_get_serial_sequence('sandbox_events', 'sequence')";
  await target.query(
    `select setval(${sequence}, greatest(nextval(${sequence}), (select max(sequence) from sandbox_events where client_id = $1)))`,
    [clientId],
  );
  for (const channel of Object.values(channels)) await target.query("select pg_notify($1, '')", [channel]);
}

/** From now on the client is not served here; what would be written for it is refused, whoever tries. */
export async function sendAway(connection: MoveConnection, clientId: string): Promise<void> {
  await connection.query("update clients set away_since_real_at = now() where id = $1 and away_since_real_at is null", [
    clientId,
  ]);
}

/** Takes `sendAway` back. */
export async function bringBack(connection: MoveConnection, clientId: string): Promise<void> {
  await connection.query("update clients set away_since_real_at = null where id = $1", [clientId]);
}

/**
 * Returns once every transaction of this database has ended that is under way now: they may not know yet that a client is away.
 * Throws after `patienceMs`.
 */
export async function waitForTransactions(connection: MoveConnection, patienceMs: number): Promise<void> {
  const { rows } = await connection.query<{ xid: string }>(`select transactionid::text as xid ${underWay}`);
  const numbers = rows.map(({ xid }) => xid);
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const left = await connection.query(`select ${underWay} and transactionid::text = any ($1::text[])`, [numbers]);
    if (left.rowCount === 0) return;
    if (performance.now() > giveUpAt) {
      throw new Error(
        `A transaction has been under way for more than ${patienceMs / 1000} s, and may write for this client.`,
      );
    }
    await delay(5);
  }
}

// Each transaction that writes holds a lock on its own number until its end.
const underWay = `
  from pg_locks join pg_stat_activity a using (pid)
  where locktype = 'transactionid' and mode = 'ExclusiveLock' and granted and a.datname = current_database()`;

/** Deletes a client's rows, a few thousand at a time, and leaves only the row that says that it is away. Returns how many. */
export async function clearRows(connection: MoveConnection, clientId: string): Promise<number> {
  let count = 0;
  for (const { name, ofClient, rowsAtOnce } of clientTables.toReversed()) {
    for (;;) {
      await connection.query("begin");
      await passOverTriggers(connection);
      const { rowCount } = await connection.query(
        `delete from ${name} where (tableoid, ctid) in (
           select tableoid, ctid from ${name} t where ${ofClient} limit ${rowsAtOnce})`,
        [clientId],
      );
      await connection.query("commit");
      if (!rowCount) break;
      count += rowCount;
    }
  }
  return count;
}

// What the triggers would check was checked where the rows were written, and what is copied is compared.
async function passOverTriggers(connection: MoveConnection): Promise<void> {
  await connection.query("set local session_replication_role = replica");
}

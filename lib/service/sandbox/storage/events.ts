import { and, arrayContains, asc, desc, eq, gt, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { limits } from "../../../contract/limits.ts";
import type { SandboxEvent, SandboxEventKind, StoredSandboxEvent } from "../../../contract/sandbox-events.ts";
import { runPrepared } from "../../../kit/postgres.ts";
import { channels } from "../../storage/channels.ts";
import { type Connection, database, inTransaction } from "../../storage/database.ts";
import { sandboxEvents } from "./schema.ts";

export type NewSandboxEvent = { clientId: string; event: StoredSandboxEvent };

/** Context for a write: client clocks and token owners. */
export type EventSurroundings = {
  /** Milliseconds each client's clock is ahead; none for unknown clients. */
  aheadMs: ReadonlyMap<string, number>;
  /** By client and name (`nameOfJoin`), the owner joins of the newest event with this name. */
  people: ReadonlyMap<string, string[]>;
};

// Unique among this database's advisory locks (cell-nodes.ts, migrate-database.ts).
export const writingLock = 4_712_019;

/** The key of `EventSurroundings.people`. */
export function nameOfJoin(clientId: string, join: string): string {
  return `${clientId} ${join}`;
}

export type WrittenSize = { events: number; bytes: number };

/**
 * Writes events in one statement, completed by `complete`. Trims the clients in `toTrim` to both limits, and notifies readers
 * by client id.
 */
export async function insertSandboxEvents(
  about: {
    clientIds: string[];
    names: { clientId: string; join: string }[];
    toTrim: (written: ReadonlyMap<string, WrittenSize>) => string[];
    bounds: { eventsMax: number; bytesMax: number };
  },
  complete: (surroundings: EventSurroundings) => NewSandboxEvent[],
): Promise<void> {
  await inTransaction(async (_tx, connection) => {
    await connection.query("select pg_advisory_xact_lock($1)", [writingLock]);
    const rows = complete(await readSurroundings(connection, about)).map(toRow);
    await runPrepared(connection, insertAll, [`[${rows.map(({ json }) => json).join(",")}]`]);
    const clientIds = about.toTrim(sizesOf(rows));
    const { eventsMax, bytesMax } = about.bounds;
    if (clientIds.length > 0) await runPrepared(connection, deleteOlder, [clientIds, eventsMax, bytesMax]);
  });
}

type Row = { clientId: string; bytes: number; json: string };

function toRow({ clientId, event: { request, response, ...event } }: NewSandboxEvent): Row {
  const eventJson = storableJson(event);
  const whole = storableJson({ request, response });
  const fits = Buffer.byteLength(whole) <= limits.eventBodiesBytesMax;
  const bodiesJson = fits ? whole : JSON.stringify({ request: tooLarge, response: tooLarge });
  const bytes = Buffer.byteLength(eventJson) + Buffer.byteLength(bodiesJson);
  const columns = storableJson({ clientId, kind: event.kind, joins: event.joins, bytes });
  return { clientId, bytes, json: `${columns.slice(0, -1)},"event":${eventJson},"bodies":${bodiesJson}}` };
}

const tooLarge = "[too large to keep]";

// JSON allows NUL and lone surrogates, which PostgreSQL rejects. Whole escapes are matched, so an escaped backslash before one
// isn't misread.
function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return /\\u(?:0000|d[89a-f])/.test(json)
    ? json.replaceAll(/\\(?:u[0-9a-f]{4}|.)/g, (written) =>
        /^\\u(?:0000|d[89a-f])/.test(written) ? "\ufffd" : written,
      )
    : json;
}

function sizesOf(rows: readonly Row[]): Map<string, WrittenSize> {
  const sizes = new Map<string, WrittenSize>();
  for (const { clientId, bytes } of rows) {
    const before = sizes.get(clientId) ?? { events: 0, bytes: 0 };
    sizes.set(clientId, { events: before.events + 1, bytes: before.bytes + bytes });
  }
  return sizes;
}

async function readSurroundings(
  connection: Connection,
  { clientIds, names }: { clientIds: string[]; names: { clientId: string; join: string }[] },
): Promise<EventSurroundings> {
  const clocks = await runPrepared<{ id: string; aheadMs: number }>(connection, findClocks, [clientIds]);
  const found =
    names.length === 0
      ? []
      : await runPrepared<{ clientId: string; join: string; joins: string[] }>(connection, findPeople, [
          names.map(({ clientId }) => clientId),
          names.map(({ join }) => join),
        ]);
  return {
    aheadMs: new Map(clocks.map(({ id, aheadMs }) => [id, aheadMs])),
    people: new Map(found.map(({ clientId, join, joins }) => [nameOfJoin(clientId, join), joins])),
  };
}

const findClocks = {
  name: "find_clocks_of_events",
  text: `select id, extract(epoch from clock_offset)::float8 * 1000 as "aheadMs" from clients where id = any ($1::text[])`,
};

// The newest event with owner joins wins: earlier misuse doesn't change a token's owner.
const findPeople = {
  name: "find_people_of_joins",
  text: `
    select requested.client_id as "clientId", requested.name as "join", owned.joins
    from unnest($1::text[], $2::text[]) as requested (client_id, name)
    cross join lateral (
      select e.joins from sandbox_events e
      where e.client_id = requested.client_id and e.joins @> array[requested.name]
        and exists (select from unnest(e.joins) j where j ~ '^(visit|intent|user):')
      order by e.sequence desc limit 1
    ) owned`,
};

const insertAll = {
  name: "insert_sandbox_events",
  text: `
    with written as (
      insert into sandbox_events (client_id, kind, event, bodies, bytes, joins)
      select r."clientId", r.kind, r.event, r.bodies, r.bytes, r.joins
      from rows from (
        json_to_recordset($1::json) as ("clientId" text, kind text, event json, bodies json, bytes int, joins text[])
      ) with ordinality as r ("clientId", kind, event, bodies, bytes, joins, position)
      join clients c on c.id = r."clientId"
      order by r.position
      returning client_id
    )
    select pg_notify('${channels.sandboxEvents}', client_id) from (select distinct client_id from written) w`,
};

const deleteOlder = {
  name: "delete_older_sandbox_events",
  text: `
    delete from sandbox_events e
    using unnest($1::text[]) as c (id), lateral (
      select max(sequence) as sequence
      from (
        select sequence, row_number() over newest as position, sum(bytes) over newest as total
        from sandbox_events where client_id = c.id
        window newest as (order by sequence desc)
      ) ranked
      where position > $2 or total > $3
    ) oldest
    where e.client_id = c.id and e.sequence <= oldest.sequence`,
};

export type EventChoice = {
  clientId: string;
  kind?: SandboxEventKind | undefined;
  join?: string | undefined;
  after?: number | undefined;
  before?: number | undefined;
};

export type ChosenEvents = { events: SandboxEvent[]; hasMore: boolean };

/**
 * The first or newest matching events, up to `limit` and `bytesMax`, but always at least one so readers make progress.
 */
export async function listSandboxEvents(
  choice: EventChoice,
  { from, limit, bytesMax }: { from: "first" | "newest"; limit: number; bytesMax: number },
): Promise<ChosenEvents> {
  const { sequence, event, bodies, bytes } = sandboxEvents;
  const order = from === "first" ? asc(sequence) : desc(sequence);
  // One extra row shows whether there are more.
  const rows = database()
    .select({ sequence, event, bodies, bytes })
    .from(sandboxEvents)
    .where(chosen(choice))
    .orderBy(order)
    .limit(limit + 1)
    .as("rows");
  const direction = from === "first" ? sql`asc` : sql`desc`;
  const sized = database()
    .select({
      sequence: rows.sequence,
      event: rows.event,
      bodies: rows.bodies,
      position: sql<number>`row_number() over (order by ${rows.sequence} ${direction})`.as("position"),
      begin: sql<number>`sum(${rows.bytes}) over (order by ${rows.sequence} ${direction}) - ${rows.bytes}`.as("begin"),
      found: sql<number>`(count(*) over ())::int`.as("found"),
    })
    .from(rows)
    .as("sized");
  const page = await database()
    .select({ sequence: sized.sequence, event: sized.event, bodies: sized.bodies, found: sized.found })
    .from(sized)
    .where(and(lte(sized.position, limit), or(eq(sized.position, 1), lt(sized.begin, bytesMax))))
    .orderBy(asc(sized.sequence));
  const events = page.map((row) => ({ ...row.event, ...row.bodies, id: String(row.sequence) }) as SandboxEvent);
  return { events, hasMore: page.length < (page[0]?.found ?? 0) };
}

/** A client's next events after a sequence, without bodies, at most `limit`. */
export async function listSandboxFacts(choice: EventChoice, { limit }: { limit: number }): Promise<SandboxEvent[]> {
  const rows = await database()
    .select({ sequence: sandboxEvents.sequence, event: sandboxEvents.event })
    .from(sandboxEvents)
    .where(chosen(choice))
    .orderBy(asc(sandboxEvents.sequence))
    .limit(limit);
  return rows.map(
    ({ sequence, event }) => ({ ...event, request: null, response: null, id: String(sequence) }) as SandboxEvent,
  );
}

/** The sequence of the matching event `count` before the newest; undefined if there are fewer. */
export async function findSequenceBeforeNewest(choice: EventChoice, count: number): Promise<number | undefined> {
  const [row] = await database()
    .select({ sequence: sandboxEvents.sequence })
    .from(sandboxEvents)
    .where(chosen(choice))
    .orderBy(desc(sandboxEvents.sequence))
    .offset(count)
    .limit(1);
  return row?.sequence;
}

/** 0 without events. */
export async function findNewestSequence(clientId: string): Promise<number> {
  return (await findSequenceBeforeNewest({ clientId }, 0)) ?? 0;
}

function chosen({ clientId, kind, join, after, before }: EventChoice): SQL | undefined {
  return and(
    eq(sandboxEvents.clientId, clientId),
    kind && eq(sandboxEvents.kind, kind),
    join === undefined ? undefined : arrayContains(sandboxEvents.joins, [join]),
    after === undefined ? undefined : gt(sandboxEvents.sequence, after),
    before === undefined ? undefined : lt(sandboxEvents.sequence, before),
  );
}

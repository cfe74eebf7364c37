import { and, arrayContains, asc, desc, eq, gt, lt, type SQL } from "drizzle-orm";
import type { SandboxEvent, SandboxEventKind, StoredSandboxEvent } from "../../contract/sandbox-events.ts";
import { channels } from "./channels.ts";
import { type Connection, database, inTransaction } from "./database.ts";
import { runPrepared } from "./prepared.ts";
import { sandboxEvents } from "./schema.ts";

/** An event of a client, to be written. */
export type NewSandboxEvent = { clientId: string; event: StoredSandboxEvent };

/** What a set of events is written with: the clients' clocks, and what each of the names that were asked about belongs to. */
export type EventSurroundings = {
  /** Milliseconds by which the clock of each client is ahead of real time; a client that does not exist has none. */
  aheadMs: ReadonlyMap<string, number>;
  /** By client and name (`nameOfJoin`), the visit, intent and user of the newest event that bears this name and tells one. */
  people: ReadonlyMap<string, string[]>;
};

// Any number that no other advisory lock of this database has.
const writingLock = 4_712_019;

/** The key of `EventSurroundings.people`. */
export function nameOfJoin(clientId: string, join: string): string {
  return `${clientId} ${join}`;
}

/**
 * Writes a set of events in one go, as `complete` makes them of what surrounds them. Of those to be trimmed, the clients keep
 * their newest `keptMax`. Readers are notified.
 */
export async function insertSandboxEvents(
  about: {
    clientIds: string[];
    names: { clientId: string; join: string }[];
    toTrim: { clientIds: string[]; keptMax: number };
  },
  complete: (surroundings: EventSurroundings) => NewSandboxEvent[],
): Promise<void> {
  await inTransaction(async (_tx, connection) => {
    await connection.query("select pg_advisory_xact_lock($1)", [writingLock]);
    const events = complete(await readSurroundings(connection, about));
    const rows = events.map(({ clientId, event }) => ({ clientId, kind: event.kind, joins: event.joins, event }));
    await runPrepared(connection, insertAll, [JSON.stringify(rows)]);
    const { clientIds, keptMax } = about.toTrim;
    if (clientIds.length > 0) await runPrepared(connection, deleteOlder, [clientIds, keptMax]);
  });
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

// The newest, because a token belongs to whom it was issued for, whatever was tried with it before.
const findPeople = {
  name: "find_people_of_joins",
  text: `
    select asked.client_id as "clientId", asked.name as "join", told.joins
    from unnest($1::text[], $2::text[]) as asked (client_id, name)
    cross join lateral (
      select e.joins from sandbox_events e
      where e.client_id = asked.client_id and e.joins @> array[asked.name]
        and exists (select from unnest(e.joins) j where j ~ '^(visit|intent|user):')
      order by e.sequence desc limit 1
    ) told`,
};

const insertAll = {
  name: "insert_sandbox_events",
  text: `
    with written as (
      insert into sandbox_events (client_id, kind, event, joins)
      select r."clientId", r.kind, r.event, r.joins
      from rows from (
        json_to_recordset($1::json) as ("clientId" text, kind text, event json, joins text[])
      ) with ordinality as r ("clientId", kind, event, joins, place)
      join clients c on c.id = r."clientId"
      order by r.place
    )
    select pg_notify('${channels.sandboxEvents}', '')`,
};

const deleteOlder = {
  name: "delete_older_sandbox_events",
  text: `
    delete from sandbox_events e
    using unnest($1::text[]) as c (id), lateral (
      select sequence from sandbox_events where client_id = c.id order by sequence desc offset $2 limit 1
    ) oldest
    where e.client_id = c.id and e.sequence <= oldest.sequence`,
};

/** Which events of a client: of one kind, with one join, after or before one of them. */
export type EventChoice = {
  clientId: string;
  kind?: SandboxEventKind | undefined;
  join?: string | undefined;
};

/** The newest of a client's events that come before `before` and after `after`, at most `limit`, oldest first. */
export async function listNewestSandboxEvents(
  choice: EventChoice & { after?: number | undefined; before?: number | undefined; limit: number },
): Promise<SandboxEvent[]> {
  const rows = await database()
    .select(shown)
    .from(sandboxEvents)
    .where(chosen(choice))
    .orderBy(desc(sandboxEvents.sequence))
    .limit(choice.limit);
  return rows.toReversed().map(withId);
}

/** The first of a client's events that come after `after`, at most `limit`, oldest first. */
export async function listNextSandboxEvents(
  choice: EventChoice & { after: number; limit: number },
): Promise<SandboxEvent[]> {
  const rows = await database()
    .select(shown)
    .from(sandboxEvents)
    .where(chosen(choice))
    .orderBy(asc(sandboxEvents.sequence))
    .limit(choice.limit);
  return rows.map(withId);
}

const shown = { sequence: sandboxEvents.sequence, event: sandboxEvents.event };

function chosen({
  clientId,
  kind,
  join,
  after,
  before,
}: EventChoice & { after?: number | undefined; before?: number | undefined }): SQL | undefined {
  return and(
    eq(sandboxEvents.clientId, clientId),
    kind && eq(sandboxEvents.kind, kind),
    join === undefined ? undefined : arrayContains(sandboxEvents.joins, [join]),
    after === undefined ? undefined : gt(sandboxEvents.sequence, after),
    before === undefined ? undefined : lt(sandboxEvents.sequence, before),
  );
}

function withId({ sequence, event }: { sequence: number; event: StoredSandboxEvent }): SandboxEvent {
  return { ...event, id: String(sequence) };
}

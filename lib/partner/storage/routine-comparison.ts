import { and, desc, eq, gte, inArray, isNotNull, isNull, lte, ne, or, sql } from "drizzle-orm";
import { firstIdAt, newIdAt } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import { type Db, harborNow } from "./database.ts";
import { matchesDetails } from "./routine-resolution.ts";
import type { PaymentDetails } from "./routine-sends.ts";
import { type PossibleRecord, routineComparison, routines, serviceUsers } from "./schema.ts";

// Changes with every kind of restore: server start, new database, or refilled table.
const databaseIdentity = sql<string>`concat_ws(' ', pg_postmaster_start_time(),
  (select oid from pg_database where datname = current_database()), pg_relation_filenode('routines'))`;
// More than clocks can differ and commits can take.
const overlap = sql`interval '1 hour'`;

/** How far payments were compared. `isDue`: no payment may be made before the next comparison. */
export type ComparisonState = {
  startedAt: Date;
  coveredUntil: Date | null;
  beginsAt: Date | null;
  comparedAt: Date | null;
  isDue: boolean;
  isPartial: boolean;
  possibleRecords: PossibleRecord[];
  databaseIdentity: string;
};

/** `startedAt` is the database's current time. */
export async function readComparison(db: Db): Promise<ComparisonState> {
  const { rows } = await db.execute<{
    started_at: Date;
    covered_until_real_at: Date | null;
    begins_at: Date | null;
    compared_real_at: Date | null;
    is_due: boolean;
    is_partial: boolean;
    possible_records: PossibleRecord[];
    database_identity: string;
  }>(sql`
    select now() as started_at, ${databaseIdentity} as database_identity, c.covered_until_real_at, c.begins_at, c.compared_real_at,
      c.database_identity is distinct from ${databaseIdentity}
        or c.due_real_at is not null and (c.compared_real_at > c.due_real_at) is not true as is_due,
      coalesce(c.is_partial, false) as is_partial, coalesce(c.possible_records, '[]') as possible_records
    from (select 1) one left join ${routineComparison} c on true`);
  const [row] = rows;
  if (!row) throw new Error("A left join from one row has a row.");
  return {
    startedAt: new Date(row.started_at),
    coveredUntil: row.covered_until_real_at && new Date(row.covered_until_real_at),
    beginsAt: row.begins_at && new Date(row.begins_at),
    comparedAt: row.compared_real_at && new Date(row.compared_real_at),
    isDue: row.is_due,
    isPartial: row.is_partial,
    possibleRecords: row.possible_records,
    databaseIdentity: row.database_identity,
  };
}

/**
 * Stores a finished comparison. False if the database was restored since it began, so that it doesn't count.
 * `isPartial`: the service has no complete list, or one of its payments can't be read. Unless it's `isCovering`,
 * `coveredUntil` stays as it was.
 */
export async function storeComparison(
  db: Db,
  {
    startedAt,
    isPartial,
    possibleRecords,
    isCovering,
    databaseIdentity: begunIn,
  }: Pick<ComparisonState, "startedAt" | "isPartial" | "possibleRecords" | "databaseIdentity"> & {
    isCovering: boolean;
  },
): Promise<boolean> {
  const at = sql`${startedAt.toISOString()}::timestamptz`;
  const coveredUntil = isCovering ? sql`${at} - ${overlap}` : null;
  const { rowCount } = await db.execute(sql`
    insert into ${routineComparison} as known (database_identity, covered_until_real_at, compared_real_at, is_partial, possible_records)
    select ${begunIn}, ${coveredUntil}, ${at}, ${isPartial}, ${JSON.stringify(possibleRecords)}::jsonb
    where ${databaseIdentity} = ${begunIn}
    on conflict (is_only) do update set database_identity = excluded.database_identity,
      covered_until_real_at = coalesce(excluded.covered_until_real_at, known.covered_until_real_at),
      compared_real_at = excluded.compared_real_at, is_partial = excluded.is_partial, possible_records = excluded.possible_records`);
  return rowCount === 1;
}

/** Makes a comparison due: the service had an unknown payment, so there may be more. */
export async function requestComparison(db: Db): Promise<void> {
  const due = { dueRealAt: sql`clock_timestamp()` };
  await db.insert(routineComparison).values(due).onConflictDoUpdate({ target: routineComparison.isOnly, set: due });
}

/** Ignores payments older than now, for a sandbox that starts over. */
export async function startComparisonNow(tx: Db): Promise<void> {
  await tx.insert(routineComparison).values({ beginsAt: harborNow });
}

export async function listKnownRecords(
  db: Db,
  ids: { routines: string[]; transfers: string[] },
): Promise<{ id: string; isMissing: boolean; recordIds: string[] }[]> {
  const { id, serviceRoutineId, transferId, secondServiceRoutineId, state } = routines;
  const rows = await db
    .select({ id, serviceRoutineId, transferId, secondServiceRoutineId, state })
    .from(routines)
    .where(
      or(
        inArray(serviceRoutineId, ids.routines),
        inArray(transferId, ids.transfers),
        inArray(secondServiceRoutineId, ids.routines),
      ),
    );
  return rows.map((row) => ({
    id: row.id,
    isMissing: row.state === "missing",
    recordIds: [row.serviceRoutineId, row.transferId, row.secondServiceRoutineId].filter((known) => known !== null),
  }));
}

const hasId = or(isNotNull(routines.serviceRoutineId), isNotNull(routines.transferId));

export type KnownRoutine = { id: string; serviceRoutineId: string | null; transferId: string | null };

/** The payments that the service should have: all since `since`, and at least the `newestMax` newest. */
export async function listRoutinesToCompare(
  db: Db,
  { since, newestMax }: { since: Date | undefined; newestMax: number },
): Promise<KnownRoutine[]> {
  const { id, serviceRoutineId, transferId } = routines;
  const isAtService = and(hasId, ne(routines.state, "missing"));
  const select = () => db.select({ id, serviceRoutineId, transferId }).from(routines).$dynamic();
  const newest = await select().where(isAtService).orderBy(desc(id)).limit(newestMax);
  if (!since) return newest;
  const recent = await select()
    .where(and(isAtService, gte(id, firstIdAt(since))))
    .orderBy(desc(id));
  return recent.length > newest.length ? recent : newest;
}

/** Claims the routines that weren't read in the last `seconds`, or `secondsOnceOver` for those that are over. */
export async function claimRoutinesToRead(
  db: Db,
  ids: string[],
  { seconds, secondsOnceOver = seconds }: { seconds: number; secondsOnceOver?: number },
): Promise<{ id: string; traceId: string }[]> {
  const pause = sql`case when ${routines.nextTryAt} is null then ${secondsOnceOver}::int else ${seconds}::int end`;
  const isDue = or(
    isNull(routines.askedRealAt),
    lte(routines.askedRealAt, sql`now() - make_interval(secs => ${pause})`),
  );
  return db
    .update(routines)
    .set({ askedRealAt: sql`now()` })
    .where(and(inArray(routines.id, ids), hasId, isDue))
    .returning({ id: routines.id, traceId: routines.traceId });
}

export type FoundRoutine = PaymentDetails & {
  serviceRoutineId: string;
  transferId: string | undefined;
  createdAt: Date | undefined;
};

/** Stores a payment that Harbor has no record of sending. Undefined if its ids are already known. */
export async function insertFoundRoutine(db: Db, found: FoundRoutine): Promise<string | undefined> {
  const { createdAt = new Date(), ...details } = found;
  const seller = db
    .select({ id: serviceUsers.id })
    .from(serviceUsers)
    .where(and(eq(serviceUsers.accountId, found.destinationId), isNotNull(serviceUsers.personId)))
    .limit(1);
  const [row] = await db
    .insert(routines)
    .values({
      id: newIdAt(createdAt),
      idempotencyKey: crypto.randomUUID(),
      createdBy: null,
      ...details,
      sellerUserId: sql`coalesce((${seller}), '')`,
      state: "open",
      nextTryAt: harborNow,
      traceId: newTraceId(),
      createdAt,
      updatedAt: harborNow,
    })
    .onConflictDoNothing()
    .returning({ id: routines.id });
  return row?.id;
}

/** The newest adopted payment with these details, from the last `days` days or since `since`, whichever is longer. */
export async function findMatchingAdopted(
  db: Db,
  details: PaymentDetails,
  { days = 0, since }: { days?: number; since?: Date | undefined },
): Promise<string | undefined> {
  const daysAgo = sql`${harborNow} - make_interval(days => ${days})`;
  const earliest = since ? sql`least(${daysAgo}, ${since.toISOString()}::timestamptz - ${overlap})` : daysAgo;
  const isRecent = gte(routines.createdAt, earliest);
  const [row] = await db
    .select({ id: routines.id })
    .from(routines)
    .where(and(isNull(routines.createdBy), matchesDetails(details), isRecent))
    .orderBy(desc(routines.id))
    .limit(1);
  return row?.id;
}

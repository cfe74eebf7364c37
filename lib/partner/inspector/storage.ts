import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { TraceId } from "../../kit/trace.ts";
import type { Db } from "../storage/database.ts";
import { type EntryDetails, inspectorEntries } from "./schema.ts";

export const entriesPerPersonMax = 500;

export type NewEntryRow = {
  id: string;
  personId: string;
  traceId: TraceId;
  details: EntryDetails;
  occurredRealAt: Date;
};

export async function insertEntries(db: Db, rows: NewEntryRow[]): Promise<void> {
  await db.insert(inspectorEntries).values(rows);
}

/** Deletes these people's oldest entries beyond the maximum. */
export async function deleteSurplusEntries(db: Db, personIds: string[]): Promise<void> {
  await db.execute(sql`
    delete from inspector_entries where (person_id, id) in (
      select person_id, id from (
        select person_id, id, row_number() over (partition by person_id order by id desc) as position
        from inspector_entries where person_id in ${personIds}
      ) ranked where position > ${entriesPerPersonMax})`);
}

/** A person's entries, newest first; with `since`, only those stored later. */
export async function listEntries(db: Db, personId: string, since: Date | undefined) {
  const isTheirs = eq(inspectorEntries.personId, personId);
  return db
    .select()
    .from(inspectorEntries)
    .where(since ? and(isTheirs, gt(inspectorEntries.keptRealAt, since)) : isTheirs)
    .orderBy(desc(inspectorEntries.occurredRealAt), desc(inspectorEntries.id))
    .limit(entriesPerPersonMax);
}

/** The people behind these ids or this trace: customer, user, intent's owner, payer; `isPayeeToo`: also the payee. */
export async function listPeopleConcerned(
  db: Db,
  { traceId, ids, isPayeeToo = false }: { traceId: TraceId; ids: string[]; isPayeeToo?: boolean },
): Promise<string[]> {
  const named = ids.length === 0 ? sql`('')` : sql`${ids}`;
  const { rows } = await db.execute<{ person_id: string }>(sql`
    select id as person_id from people where id::text in ${named}
    union select person_id from service_users where id in ${named} and person_id is not null
    union select person_id from onboardings where user_intent_id in ${named} or trace_id = ${traceId}
    union select created_by from routines
      where created_by is not null
        and (service_routine_id in ${named} or transfer_id in ${named} or trace_id = ${traceId})
    union select u.person_id from routines r join service_users u on u.id = r.seller_user_id
      where ${isPayeeToo} and u.person_id is not null and (r.service_routine_id in ${named} or r.transfer_id in ${named})`);
  return rows.map(({ person_id }) => person_id);
}

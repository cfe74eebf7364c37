import { and, desc, eq, getTableColumns, inArray, isNull, lte, ne, not, or, sql } from "drizzle-orm";
import type { RejectionReason } from "#client";
import type { UserIntentStatus } from "../../contract/statuses.ts";
import { newId } from "../../kit/ids.ts";
import { newTraceId, type TraceId } from "../../kit/trace.ts";
import { type Db, harborNow } from "./database.ts";
import { onboardings, people, serviceUsers } from "./schema.ts";

export type Onboarding = typeof onboardings.$inferSelect;

export type Submission = { personId: string; idempotencyKey: string; traceId: TraceId };

const isOpen = ne(onboardings.status, "rejected");
const ofPerson = { target: onboardings.personId, targetWhere: sql`status <> 'rejected'` };

/**
 * Records a request before it is sent. False if the person already has an intent or a user. An unanswered request can be
 * repeated, also under a new key. After a refusal, call `revertSubmission`.
 */
export async function reserveOnboarding(db: Db, submission: Submission): Promise<boolean> {
  const { personId, idempotencyKey, traceId } = submission;
  if ((await db.$count(serviceUsers, eq(serviceUsers.personId, personId))) > 0) return false;
  const { rowCount } = await db
    .insert(onboardings)
    .values({
      id: newId(),
      ...submission,
      status: "submitting",
      unansweredSends: 1,
      createdAt: harborNow,
      updatedAt: harborNow,
    })
    .onConflictDoUpdate({
      ...ofPerson,
      set: {
        idempotencyKey,
        traceId,
        unansweredSends: sql`${onboardings.unansweredSends} + 1`,
        updatedAt: harborNow,
      },
      setWhere: eq(onboardings.status, "submitting"),
    });
  return rowCount === 1;
}

/** Stores the new intent, unless its decision arrived first. */
export async function completeOnboarding(
  db: Db,
  submission: Submission,
  intent: Pick<IntentState, "userIntentId" | "status"> & Partial<Pick<IntentState, "rejectionReasons">>,
): Promise<void> {
  const isWaiting = and(eq(onboardings.personId, submission.personId), eq(onboardings.status, "submitting"));
  const isKnown = sql`exists (select from onboardings known where known.user_intent_id = ${intent.userIntentId})`;
  const completed = await db
    .update(onboardings)
    .set({ ...intent, updatedAt: harborNow })
    .where(and(isWaiting, not(isKnown)))
    .returning({ id: onboardings.id });
  if (completed.length > 0) return;
  await db
    .insert(onboardings)
    .values({ id: newId(), ...submission, ...intent, createdAt: harborNow, updatedAt: harborNow })
    .onConflictDoNothing();
  // The same form was sent again after its intent was rejected, so there is no new intent.
  const isSameForm = eq(onboardings.idempotencyKey, submission.idempotencyKey);
  await db.delete(onboardings).where(and(isWaiting, isSameForm, isKnown));
}

/** Takes back a refused request. With `forget` the row is deleted, too, unless another request is still unanswered. */
export async function revertSubmission(
  tx: Db,
  { personId }: Submission,
  { forget }: { forget: boolean },
): Promise<void> {
  const isWaiting = and(eq(onboardings.personId, personId), eq(onboardings.status, "submitting"));
  await tx
    .update(onboardings)
    .set({ unansweredSends: sql`greatest(${onboardings.unansweredSends} - 1, 0)` })
    .where(isWaiting);
  if (forget) await tx.delete(onboardings).where(and(isWaiting, eq(onboardings.unansweredSends, 0)));
}

export async function findOpenOnboarding(db: Db, personId: string): Promise<Onboarding | undefined> {
  const [open] = await db
    .select()
    .from(onboardings)
    .where(and(eq(onboardings.personId, personId), isOpen));
  return open;
}

export async function isIntentKnown(db: Db, userIntentId: string): Promise<boolean> {
  const rows = await db
    .select({ id: onboardings.id })
    .from(onboardings)
    .where(eq(onboardings.userIntentId, userIntentId));
  return rows.length > 0;
}

/**
 * The person's newest onboarding. `isUnanswered`: no answer to its request for `unansweredSeconds`. `isOffered`: the
 * person may continue without a known status.
 */
export async function findNewestOnboarding(
  db: Db,
  personId: string,
  { unansweredSeconds }: { unansweredSeconds: number } = { unansweredSeconds: 0 },
): Promise<(Onboarding & { isUnanswered: boolean; isOffered: boolean }) | undefined> {
  const longest = sql`${unansweredSeconds} * interval '1 second'`;
  const isUnanswered = sql<boolean>`(${onboardings.status} = 'submitting'
    and ${onboardings.updatedAt} < ${harborNow} - ${longest})`;
  const isOffered = sql<boolean>`(${onboardings.status} = 'pending'
    and coalesce(${onboardings.offeredFrom} <= ${harborNow}, false))`;
  const [newest] = await db
    .select({ ...getTableColumns(onboardings), isUnanswered, isOffered })
    .from(onboardings)
    .where(eq(onboardings.personId, personId))
    // One that was never sent hides no other. A rejection that a restore lost comes back under a newer id than the attempt that
    // followed it.
    .orderBy(
      sql`${onboardings.status} = 'submitting' and ${onboardings.unansweredSends} = 0`,
      sql`${onboardings.status} = 'rejected'`,
      desc(onboardings.id),
    )
    .limit(1);
  return newest;
}

/**
 * Claims the person's undecided intent if it is time to poll it; only one caller gets it. Includes `retry` and
 * `document`, which the person may have resolved. Without a status, the person may continue after `graceSeconds`.
 */
export async function claimUndecidedOnboarding(
  db: Db,
  personId: string,
  { pollSeconds, graceSeconds }: { pollSeconds: number; graceSeconds: number },
): Promise<{ userIntentId: string; traceId: TraceId } | undefined> {
  const pause = sql`${pollSeconds} * interval '1 second'`;
  const grace = sql`${graceSeconds} * interval '1 second'`;
  const [claimed] = await db
    .update(onboardings)
    .set({
      askedRealAt: sql`now()`,
      offeredFrom: sql`coalesce(${onboardings.offeredFrom}, ${harborNow} + ${grace})`,
    })
    .where(
      and(
        eq(onboardings.personId, personId),
        inArray(onboardings.status, ["pending", "retry", "document"]),
        // Created later than now: a sandbox's clock was set back.
        sql`${onboardings.createdAt} not between ${harborNow} - ${pause} and ${harborNow}`,
        or(isNull(onboardings.askedRealAt), sql`${onboardings.askedRealAt} < now() - ${pause}`),
      ),
    )
    .returning({ userIntentId: onboardings.userIntentId, traceId: onboardings.traceId });
  return claimed?.userIntentId ? { userIntentId: claimed.userIntentId, traceId: claimed.traceId } : undefined;
}

/** Lets the intent's person continue right away. False for an unknown intent. */
export async function offerAuthorization(db: Db, userIntentId: string): Promise<boolean> {
  const { rowCount } = await db
    .update(onboardings)
    .set({ offeredFrom: sql`least(${onboardings.offeredFrom}, ${harborNow})` })
    .where(eq(onboardings.userIntentId, userIntentId));
  return rowCount === 1;
}

/** Forgets an intent that the service has lost, so that its person can send the details again. */
export async function forgetIntent(db: Db, userIntentId: string): Promise<void> {
  await db.delete(onboardings).where(eq(onboardings.userIntentId, userIntentId));
}

/** The service's state of an intent; `personId` comes from its metadata. */
export type IntentState = {
  userIntentId: string;
  personId: string | undefined;
  status: UserIntentStatus;
  rejectionReasons: RejectionReason[];
  userId: string | null;
  updatedAt: Date;
};

/**
 * Stores the newest state of an intent; older states change nothing. A decision can arrive before the answer with the
 * intent's id, or concern an onboarding that a restore lost. False for an unknown intent.
 */
export async function updateOnboarding(db: Db, state: IntentState): Promise<boolean> {
  const { userIntentId, personId, status, rejectionReasons, userId, updatedAt } = state;
  // An earlier, rejected intent must not replace the current one.
  const isNew = sql`not exists (select from onboardings known where known.user_intent_id = ${userIntentId})`;
  const isTheirs = or(
    eq(onboardings.userIntentId, userIntentId),
    personId
      ? and(isNull(onboardings.userIntentId), sql`${onboardings.personId}::text = ${personId}`, isNew)
      : undefined,
  );
  const isNewer = or(isNull(onboardings.serviceUpdatedAt), lte(onboardings.serviceUpdatedAt, updatedAt));
  const updated = await db
    .update(onboardings)
    .set({
      ...{ userIntentId, userId },
      // A record may omit reasons that an earlier one gave.
      ...(rejectionReasons.length > 0 && { rejectionReasons }),
      // Converting an intent decides nothing, so an approved one stays approved.
      status: sql`case when ${status} = 'converted_to_user' and ${onboardings.status} = 'approved'
        then 'approved' else ${status} end`,
      offeredFrom: null,
      serviceUpdatedAt: updatedAt,
      updatedAt: harborNow,
    })
    // The person of a rejected intent may have started again. Its reasons may follow the rejection.
    .where(and(isTheirs, isNewer, status === "rejected" ? undefined : isOpen))
    .returning({ id: onboardings.id });
  if (updated.length > 0) return true;
  const [known] = await db
    .select({ id: onboardings.id })
    .from(onboardings)
    .where(eq(onboardings.userIntentId, userIntentId));
  return known !== undefined || (await insertForgottenOnboarding(db, state));
}

async function insertForgottenOnboarding(db: Db, state: IntentState): Promise<boolean> {
  const { personId, updatedAt, ...intent } = state;
  if (!personId) return false;
  const [person] = await db.select({ id: people.id }).from(people).where(sql`${people.id}::text = ${personId}`);
  if (!person) return false;
  const { rowCount } = await db
    .insert(onboardings)
    .values({
      id: newId(),
      personId,
      idempotencyKey: crypto.randomUUID(),
      ...intent,
      serviceUpdatedAt: updatedAt,
      traceId: newTraceId(),
      createdAt: harborNow,
      updatedAt: harborNow,
    })
    .onConflictDoNothing();
  return rowCount === 1;
}

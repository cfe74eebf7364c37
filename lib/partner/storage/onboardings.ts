import { and, desc, eq, getTableColumns, inArray, isNull, lte, ne, or, sql } from "drizzle-orm";
import type { RejectionReason } from "#client";
import type { UserIntentStatus } from "../../contract/statuses.ts";
import { newId } from "../../kit/ids.ts";
import { newTraceId, type TraceId } from "../../kit/trace.ts";
import { type Db, harborNow } from "./database.ts";
import { onboardings, people } from "./schema.ts";

/** A person's way to becoming a user of the service, as far as it got. */
export type Onboarding = typeof onboardings.$inferSelect;

/** One request to the service: whose, under which key, in which trace. */
export type Submission = { personId: string; idempotencyKey: string; traceId: TraceId };

const isOpen = ne(onboardings.status, "rejected");
const ofPerson = { target: onboardings.personId, targetWhere: sql`status <> 'rejected'` };

/**
 * Notes that a request is about to leave, before it does. False when this person has an intent already: then none is
 * sent. A request under way may be sent again; by its idempotency key the service knows it. Of a refusal tell
 * `takeBackSubmission`: until then nobody can know whether an intent was made.
 */
export async function reserveOnboarding(db: Db, submission: Submission): Promise<boolean> {
  const { idempotencyKey, traceId } = submission;
  const reserved = await db
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
    })
    .returning({ id: onboardings.id });
  return reserved.length > 0;
}

/** Keeps the intent that the service made, unless a decision about it has come in first. */
export async function completeOnboarding(
  db: Db,
  submission: Submission,
  intent: { userIntentId: string; status: UserIntentStatus },
): Promise<void> {
  await db
    .insert(onboardings)
    .values({ id: newId(), ...submission, ...intent, createdAt: harborNow, updatedAt: harborNow })
    .onConflictDoUpdate({
      ...ofPerson,
      set: { ...intent, updatedAt: harborNow },
      setWhere: eq(onboardings.status, "submitting"),
    });
}

/**
 * Takes back one request that the service refused: that one made nothing. With `forget` the reservation goes too, unless
 * another request of this person is without an answer: that one may have arrived.
 */
export async function takeBackSubmission(
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

/** The person's onboarding that is not rejected, if there is one. */
export async function findOpenOnboarding(db: Db, personId: string): Promise<Onboarding | undefined> {
  const [open] = await db
    .select()
    .from(onboardings)
    .where(and(eq(onboardings.personId, personId), isOpen));
  return open;
}

/** Whether an onboarding has this user intent. */
export async function isIntentKnown(db: Db, userIntentId: string): Promise<boolean> {
  const rows = await db
    .select({ id: onboardings.id })
    .from(onboardings)
    .where(eq(onboardings.userIntentId, userIntentId));
  return rows.length > 0;
}

/**
 * The person's newest onboarding, rejected or not. `isUnanswered`: its request left more than `unansweredSeconds` ago, and
 * nothing was heard of it. `isOffered`: its status is not told, and has not been for long enough.
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
    .orderBy(desc(onboardings.id))
    .limit(1);
  return newest;
}

/**
 * The person's undecided intent when it is time to ask about it again, else undefined. Of several callers one gets it. One
 * that waits for something of theirs counts too: they may have given it meanwhile.
 * Unless an answer tells its status (`updateOnboarding`), the person may go on without one after `patienceSeconds`.
 */
export async function claimUndecidedOnboarding(
  db: Db,
  personId: string,
  { pollSeconds, patienceSeconds }: { pollSeconds: number; patienceSeconds: number },
): Promise<{ userIntentId: string; traceId: TraceId } | undefined> {
  const pause = sql`${pollSeconds} * interval '1 second'`;
  const patience = sql`${patienceSeconds} * interval '1 second'`;
  const [claimed] = await db
    .update(onboardings)
    .set({
      askedRealAt: sql`now()`,
      offeredFrom: sql`coalesce(${onboardings.offeredFrom}, ${harborNow} + ${patience})`,
    })
    .where(
      and(
        eq(onboardings.personId, personId),
        inArray(onboardings.status, ["pending", "retry", "document"]),
        // Made under Harbor's clock, so its age is judged by it; asked in real time.
        sql`${onboardings.createdAt} < ${harborNow} - ${pause}`,
        or(isNull(onboardings.askedRealAt), sql`${onboardings.askedRealAt} < now() - ${pause}`),
      ),
    )
    .returning({ userIntentId: onboardings.userIntentId, traceId: onboardings.traceId });
  return claimed?.userIntentId ? { userIntentId: claimed.userIntentId, traceId: claimed.traceId } : undefined;
}

/** Lets the person of an undecided intent go on at once: it is decided, and how the service does not tell. False: nobody's intent here. */
export async function offerAuthorization(db: Db, userIntentId: string): Promise<boolean> {
  const offered = await db
    .update(onboardings)
    .set({ offeredFrom: sql`least(${onboardings.offeredFrom}, ${harborNow})` })
    .where(eq(onboardings.userIntentId, userIntentId))
    .returning({ id: onboardings.id });
  return offered.length > 0;
}

/** What the service says of an intent now; `personId` is whose we made it for, as its metadata tells. */
export type IntentState = {
  userIntentId: string;
  personId: string | undefined;
  status: UserIntentStatus;
  rejectionReasons: RejectionReason[];
  userId: string | null;
  updatedAt: Date;
};

/**
 * Keeps the newest state of an intent, in whatever order states come in; an older one changes nothing. A decision may
 * overtake the answer that brings the intent's id: then the person's waiting row takes it. A person without any row gets
 * one: a restore to an earlier moment forgets onboardings. False: nobody's intent here.
 */
export async function updateOnboarding(db: Db, state: IntentState): Promise<boolean> {
  const { userIntentId, personId, status, rejectionReasons, userId, updatedAt } = state;
  // Only an intent that no row has: news of an earlier, rejected one must not take the place of the next.
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
      ...{ userIntentId, status, rejectionReasons, userId },
      offeredFrom: null,
      serviceUpdatedAt: updatedAt,
      updatedAt: harborNow,
    })
    // A rejected one stays as it is: its person may have begun anew meanwhile.
    .where(and(isTheirs, isNewer, isOpen))
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
  const inserted = await db
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
    .onConflictDoNothing()
    .returning({ id: onboardings.id });
  return inserted.length > 0;
}

import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import { channels, type Db, harborNow } from "../storage/database.ts";
import { type Person, person, type Role } from "../storage/people.ts";
import { attempts, clock, messages, people, sessions, signInChallenges } from "../storage/schema.ts";

export async function insertSession(
  db: Db,
  { idHash, personId, lifetimeSeconds }: { idHash: Buffer; personId: string; lifetimeSeconds: number },
): Promise<void> {
  const expiresRealAt = sql`now() + ${lifetimeSeconds} * interval '1 second'`;
  await db.insert(sessions).values({ idHash, personId, expiresRealAt });
}

/** The person of a live session. */
export async function findPersonOfSession(db: Db, idHash: Buffer): Promise<Person | undefined> {
  const [found] = await db
    .select(person)
    .from(sessions)
    .innerJoin(people, eq(people.id, sessions.personId))
    .where(and(eq(sessions.idHash, idHash), gt(sessions.expiresRealAt, sql`now()`)));
  return found;
}

/** The sessions that are still live, with each person's current role. */
export function listLiveSessions(db: Db, idHashes: Buffer[]): Promise<{ idHash: Buffer; role: Role }[]> {
  return db
    .select({ idHash: sessions.idHash, role: people.role })
    .from(sessions)
    .innerJoin(people, eq(people.id, sessions.personId))
    .where(and(inArray(sessions.idHash, idHashes), gt(sessions.expiresRealAt, sql`now()`)));
}

export async function deleteSession(db: Db, idHash: Buffer): Promise<void> {
  await db.delete(sessions).where(eq(sessions.idHash, idHash));
}

/** `personId` for a sign-in, `registrationEncrypted` for a sign-up, neither before a password. */
export type NewChallenge = {
  id: string;
  secretHash: Buffer;
  personId?: string;
  registrationEncrypted?: string;
  isEmailProven?: boolean;
  phone: string;
  codeHash: Buffer;
};
export type Challenge = typeof signInChallenges.$inferSelect;

const codeLifetime = sql`${limits.verificationCodeSeconds} * interval '1 second'`;
const isOpen = gt(signInChallenges.createdAt, sql`${harborNow} - interval '1 hour'`);
const codeExpiry = sql<Date>`${harborNow} + ${codeLifetime}`;

const never = sql<Date>`to_timestamp(0)`;

/** Inserts a challenge whose code isn't sent yet. */
export async function insertChallenge(
  db: Db,
  { isEmailProven = false, ...challenge }: NewChallenge,
): Promise<Challenge> {
  const [inserted] = await db
    .insert(signInChallenges)
    .values({
      ...challenge,
      emailProvenAt: isEmailProven ? harborNow : null,
      codeSentRealAt: never,
      codeExpiresAt: codeExpiry,
      createdAt: harborNow,
    })
    .returning();
  if (!inserted) throw new Error("Inserting a challenge always answers with a row.");
  return inserted;
}

/** A challenge that can still be completed. */
export async function findOpenChallenge(db: Db, id: string, secretHash: Buffer): Promise<Challenge | undefined> {
  const [found] = await db
    .select()
    .from(signInChallenges)
    .where(
      and(
        eq(signInChallenges.id, id),
        eq(signInChallenges.secretHash, secretHash),
        isNull(signInChallenges.spentAt),
        isOpen,
      ),
    );
  return found;
}

const isAtEmail = sql`(registration_encrypted is not null and email_proven_at is null)`;

type OpenChallenge = Pick<Challenge, "id" | "secretHash" | "registrationEncrypted" | "emailProvenAt">;

// Still at the step that the caller saw: a code sent to the email address proves nothing about the phone.
function isWaiting({ id, secretHash, registrationEncrypted, emailProvenAt }: OpenChallenge): SQL | undefined {
  return and(
    eq(signInChallenges.id, id),
    eq(signInChallenges.secretHash, secretHash),
    isNull(signInChallenges.spentAt),
    sql`${isAtEmail} = ${registrationEncrypted !== null && emailProvenAt === null}`,
  );
}

/** Completes a step: the email address, so that the phone's code can be sent at once, or the phone, the last step. */
function passedIf(condition: SQL) {
  const isPassed = sql`(${condition} and num_nonnulls(person_id, registration_encrypted) = 1)`;
  return {
    spentAt: sql`case when ${isPassed} and not ${isAtEmail} then ${harborNow} end`,
    emailProvenAt: sql`case when ${isPassed} and ${isAtEmail} then ${harborNow} else email_proven_at end`,
    codeSentRealAt: sql`case when ${isPassed} and ${isAtEmail} then ${never} else code_sent_real_at end`,
  };
}

/**
 * Tries a code in one statement, so that a code works once and concurrent tries stay within the limit. Undefined: the
 * challenge is over, or at another step.
 */
export async function tryChallenge(tx: Db, open: OpenChallenge, codeHash: Buffer): Promise<Challenge | undefined> {
  const [tried] = await tx
    .update(signInChallenges)
    .set({ tries: sql`tries + 1`, ...passedIf(sql`code_hash = ${codeHash}`) })
    .where(
      and(
        isWaiting(open),
        lt(signInChallenges.tries, limits.verificationCodeTriesMax),
        gt(signInChallenges.codeExpiresAt, harborNow),
      ),
    )
    .returning();
  return tried;
}

/** Completes the step that the long code proved. Undefined: the challenge is over, or at another step. */
export async function passChallenge(tx: Db, open: OpenChallenge): Promise<Challenge | undefined> {
  const [passed] = await tx
    .update(signInChallenges)
    .set(passedIf(sql`true`))
    .where(and(isWaiting(open), isOpen, sql`num_nonnulls(person_id, registration_encrypted) = 1`))
    .returning();
  return passed;
}

/** Ends a sign-up without creating a person; undefined if another request was first. */
export async function spendSignUp(db: Db, open: OpenChallenge): Promise<Challenge | undefined> {
  const [spent] = await db
    .update(signInChallenges)
    .set({ spentAt: harborNow })
    .where(and(isWaiting(open), isOpen, isNotNull(signInChallenges.registrationEncrypted)))
    .returning();
  return spent;
}

/** Claims sending a code. False if the last one is less than 30 s old. */
export async function claimCodeSend(db: Db, id: string): Promise<boolean> {
  const resendPause = sql`${limits.verificationCodeResendSeconds} * interval '1 second'`;
  const isFree = lt(signInChallenges.codeSentRealAt, sql`now() - ${resendPause}`);
  const { rowCount } = await db
    .update(signInChallenges)
    .set({ codeSentRealAt: sql`now()` })
    .where(and(eq(signInChallenges.id, id), isNull(signInChallenges.spentAt), isFree));
  return rowCount === 1;
}

/** Replaces a challenge's code and resets its tries. */
export async function replaceChallengeCode(tx: Db, id: string, codeHash: Buffer): Promise<void> {
  await tx
    .update(signInChallenges)
    .set({ codeHash, tries: 0, codeExpiresAt: codeExpiry })
    .where(eq(signInChallenges.id, id));
}

export type StoredMessage = Pick<typeof messages.$inferSelect, "id" | "email" | "subject" | "textEncrypted" | "sentAt">;

const shownMax = 10;

export type NewMessage = {
  id: string;
  phone?: string;
  email?: string;
  subject?: string;
  challengeId: string;
  textEncrypted: string;
  /** Whether a carrier sends it before it expires; otherwise a sandbox shows it in the challenge's browser. */
  isForCarrier: boolean;
  endsInSeconds: number;
};

/** Replaces what the challenge still has waiting. */
export async function insertMessage(tx: Db, { isForCarrier, endsInSeconds, ...message }: NewMessage): Promise<void> {
  await expireWaitingMessages(tx, message.challengeId);
  await tx.insert(messages).values({
    ...message,
    outcome: isForCarrier ? "waiting" : "shown",
    nextAttemptRealAt: isForCarrier ? sql`now()` : null,
    endsRealAt: sql`now() + make_interval(secs => ${endsInSeconds})`,
    sentAt: harborNow,
  });
  if (isForCarrier) await tx.execute(sql`select pg_notify(${channels.messages}, '')`);
}

/** Expires what a carrier hasn't accepted: its code was replaced or used, or the challenge is over. */
export async function expireWaitingMessages(tx: Db, challengeId: string): Promise<void> {
  await tx
    .update(messages)
    .set({ outcome: "expired", nextAttemptRealAt: null })
    .where(and(eq(messages.challengeId, challengeId), eq(messages.outcome, "waiting")));
}

export async function listStoredMessages(db: Db, challengeId: string): Promise<StoredMessage[]> {
  const { id, email, subject, textEncrypted, sentAt } = messages;
  const newest = await db
    .select({ id, email, subject, textEncrypted, sentAt })
    .from(messages)
    .where(eq(messages.challengeId, challengeId))
    .orderBy(desc(messages.id))
    .limit(shownMax);
  return newest.reverse();
}

/** Counts an attempt in one statement. The subject's window opens with its first attempt. */
export async function countAttempt(
  db: Db,
  { kind, subjectHash, windowSeconds }: { kind: string; subjectHash: Buffer; windowSeconds: number },
): Promise<{ count: number; secondsLeft: number }> {
  const isOver = sql`${attempts.startedRealAt} + ${windowSeconds} * interval '1 second' <= now()`;
  const [counted] = await db
    .insert(attempts)
    .values({ kind, subjectHash, count: 1, startedRealAt: sql`now()` })
    .onConflictDoUpdate({
      target: [attempts.kind, attempts.subjectHash],
      set: {
        count: sql`case when ${isOver} then 1 else ${attempts.count} + 1 end`,
        startedRealAt: sql`case when ${isOver} then now() else ${attempts.startedRealAt} end`,
      },
    })
    .returning({
      count: attempts.count,
      secondsLeft: sql<number>`ceil(extract(epoch from started_real_at - now()) + ${windowSeconds})::int`,
    });
  if (!counted) throw new Error("Counting an attempt always answers with a row.");
  return counted;
}

export async function uncountAttempt(db: Db, kind: string, subjectHash: Buffer): Promise<void> {
  await db
    .update(attempts)
    .set({ count: sql`greatest(${attempts.count} - 1, 0)` })
    .where(and(eq(attempts.kind, kind), eq(attempts.subjectHash, subjectHash)));
}

export async function deleteAttempts(db: Db, kind: string, subjectHash: Buffer): Promise<void> {
  await db.delete(attempts).where(and(eq(attempts.kind, kind), eq(attempts.subjectHash, subjectHash)));
}

/** Harbor's time as whole seconds since 1970. */
export async function readHarborSeconds(db: Db): Promise<number> {
  const [row] = await db.select({ seconds: sql<number>`extract(epoch from ${harborNow})`.mapWith(Number) }).from(clock);
  if (!row) throw new Error("The clock has no row.");
  return Math.floor(row.seconds);
}

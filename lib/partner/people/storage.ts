import { and, desc, eq, gt, inArray, isNull, lt, type SQL, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import { type Db, harborNow } from "../storage/database.ts";
import { type Person, person, type Role } from "../storage/people.ts";
import { attempts, clock, people, sessions, signInChallenges, texts } from "../storage/schema.ts";

export async function insertSession(
  db: Db,
  session: {
    idHash: Buffer;
    personId: string;
    lifetimeSeconds: number;
  },
): Promise<void> {
  const { idHash, personId, lifetimeSeconds } = session;
  const expiresRealAt = sql`now() + ${lifetimeSeconds} * interval '1 second'`;
  await db.insert(sessions).values({ idHash, personId, expiresRealAt });
}

/** The person of a session that has not ended. */
export async function findPersonOfSession(db: Db, idHash: Buffer): Promise<Person | undefined> {
  const [found] = await db
    .select(person)
    .from(sessions)
    .innerJoin(people, eq(people.id, sessions.personId))
    .where(and(eq(sessions.idHash, idHash), gt(sessions.expiresRealAt, sql`now()`)));
  return found;
}

/** The sessions that have not ended, with their person's current role. */
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

/** `personId` for a sign-in, `registrationEncrypted` for a sign-up, neither for a decoy. */
export type NewChallenge = {
  id: string;
  secretHash: Buffer;
  personId?: string;
  registrationEncrypted?: string;
  phone: string;
  codeHash: Buffer;
};
export type Challenge = typeof signInChallenges.$inferSelect;

const codeLifetime = sql`${limits.verificationCodeSeconds} * interval '1 second'`;
const isOpen = gt(signInChallenges.createdAt, sql`${harborNow} - interval '1 hour'`);
const codeExpiry = sql<Date>`${harborNow} + ${codeLifetime}`;

export async function insertChallenge(tx: Db, challenge: NewChallenge): Promise<void> {
  await tx.insert(signInChallenges).values({
    ...challenge,
    codeSentRealAt: sql`now()`,
    codeExpiresAt: codeExpiry,
    createdAt: harborNow,
  });
}

/** A challenge that can still be passed. */
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

/**
 * Tries a code in one statement, so that a code passes once and simultaneous tries stay within the limit. Undefined: the
 * challenge is over. `spentAt`: this code passed.
 */
export async function tryChallenge(
  tx: Db,
  { id, secretHash, codeHash }: { id: string; secretHash: Buffer; codeHash: Buffer },
): Promise<Challenge | undefined> {
  const isPassed = sql`code_hash = ${codeHash} and num_nonnulls(person_id, registration_encrypted) = 1`;
  const [tried] = await tx
    .update(signInChallenges)
    .set({ tries: sql`tries + 1`, spentAt: sql`case when ${isPassed} then ${harborNow} end` })
    .where(
      and(
        eq(signInChallenges.id, id),
        eq(signInChallenges.secretHash, secretHash),
        isNull(signInChallenges.spentAt),
        lt(signInChallenges.tries, limits.verificationCodeTriesMax),
        gt(signInChallenges.codeExpiresAt, harborNow),
      ),
    )
    .returning();
  return tried;
}

/** Spends a sign-up or its decoy; undefined when another request was first. */
export async function spendSignUp(
  db: Db,
  { id, secretHash }: { id: string; secretHash: Buffer },
): Promise<Challenge | undefined> {
  const isSignUp = isNull(signInChallenges.personId);
  const isWaiting = and(isNull(signInChallenges.spentAt), isOpen);
  const [spent] = await db
    .update(signInChallenges)
    .set({ spentAt: harborNow })
    .where(and(eq(signInChallenges.id, id), eq(signInChallenges.secretHash, secretHash), isWaiting, isSignUp))
    .returning();
  return spent;
}

/** Spends a challenge whose phone was verified by the long code. Undefined: the challenge is over. */
export async function spendChallenge(
  tx: Db,
  { id, secretHash }: { id: string; secretHash: Buffer },
): Promise<Challenge | undefined> {
  const [spent] = await tx
    .update(signInChallenges)
    .set({ spentAt: harborNow })
    .where(
      and(
        eq(signInChallenges.id, id),
        eq(signInChallenges.secretHash, secretHash),
        isNull(signInChallenges.spentAt),
        isOpen,
        sql`num_nonnulls(person_id, registration_encrypted) = 1`,
      ),
    )
    .returning();
  return spent;
}

/** Replaces a challenge's code and resets its tries. False: the last code is less than 30 s old. */
export async function replaceChallengeCode(tx: Db, id: string, codeHash: Buffer): Promise<boolean> {
  const resendPause = sql`${limits.verificationCodeResendSeconds} * interval '1 second'`;
  const replaced = await tx
    .update(signInChallenges)
    .set({ codeHash, tries: 0, codeSentRealAt: sql`now()`, codeExpiresAt: codeExpiry })
    .where(
      and(
        eq(signInChallenges.id, id),
        isNull(signInChallenges.spentAt),
        lt(signInChallenges.codeSentRealAt, sql`now() - ${resendPause}`),
      ),
    )
    .returning({ id: signInChallenges.id });
  return replaced.length > 0;
}

export type StoredText = { id: string; textEncrypted: string; sentAt: Date };

const shownMax = 10;

/** Stores a text; `challengeId` or `personId` may read it in a sandbox. */
export async function insertText(
  tx: Db,
  text: { id: string; phone: string; challengeId?: string; personId?: string; textEncrypted: string },
): Promise<void> {
  await tx.insert(texts).values({ ...text, sentAt: harborNow });
}

export function listTextsOfChallenge(db: Db, challengeId: string): Promise<StoredText[]> {
  return listTexts(db, eq(texts.challengeId, challengeId));
}

export function listTextsOfPerson(db: Db, personId: string): Promise<StoredText[]> {
  return listTexts(db, eq(texts.personId, personId));
}

async function listTexts(db: Db, ofWhom: SQL): Promise<StoredText[]> {
  const newest = await db
    .select({ id: texts.id, textEncrypted: texts.textEncrypted, sentAt: texts.sentAt })
    .from(texts)
    .where(ofWhom)
    .orderBy(desc(texts.id))
    .limit(shownMax);
  return newest.reverse();
}

/** Counts an attempt in the subject's window, which opens with the first one, in one statement. */
export async function countAttempt(
  db: Db,
  {
    kind,
    subjectHash,
    windowSeconds,
  }: {
    kind: string;
    subjectHash: Buffer;
    windowSeconds: number;
  },
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

/** Harbor's time in whole seconds since 1970. */
export async function readHarborSeconds(db: Db): Promise<number> {
  const [row] = await db.select({ seconds: sql<number>`extract(epoch from ${harborNow})`.mapWith(Number) }).from(clock);
  if (!row) throw new Error("The clock has no row.");
  return Math.floor(row.seconds);
}

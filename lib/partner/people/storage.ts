import { and, desc, eq, gt, inArray, isNull, lt, type SQL, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import { type Db, harborNow } from "../storage/database.ts";
import { type Person, person, type Role } from "../storage/people.ts";
import { attempts, people, sessions, signInChallenges, texts } from "../storage/schema.ts";

/** Keeps a session of this person, which ends `lifetimeSeconds` from now whatever happens. */
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

/** The person whose session it is; undefined when it has ended. */
export async function findPersonOfSession(db: Db, idHash: Buffer): Promise<Person | undefined> {
  const [found] = await db
    .select(person)
    .from(sessions)
    .innerJoin(people, eq(people.id, sessions.personId))
    .where(and(eq(sessions.idHash, idHash), gt(sessions.expiresRealAt, sql`now()`)));
  return found;
}

/** Those of these sessions that have not ended, with the role that their person has now. */
export function listLiveSessions(db: Db, idHashes: Buffer[]): Promise<{ idHash: Buffer; role: Role }[]> {
  return db
    .select({ idHash: sessions.idHash, role: people.role })
    .from(sessions)
    .innerJoin(people, eq(people.id, sessions.personId))
    .where(and(inArray(sessions.idHash, idHashes), gt(sessions.expiresRealAt, sql`now()`)));
}

/** Ends a session for good, in whatever browser its cookie is. */
export async function deleteSession(db: Db, idHash: Buffer): Promise<void> {
  await db.delete(sessions).where(eq(sessions.idHash, idHash));
}

/** A challenge as it is made; `personId` for a sign-in, `registrationEncrypted` for a sign-up, neither for a decoy. */
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

/** Begins a challenge whose code is on its way. */
export async function insertChallenge(tx: Db, challenge: NewChallenge): Promise<void> {
  await tx.insert(signInChallenges).values({
    ...challenge,
    codeSentRealAt: sql`now()`,
    codeExpiresAt: codeExpiry,
    createdAt: harborNow,
  });
}

/** The challenge of whoever holds its secret, as long as a code may still pass it (or be sent again). */
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

// The row is the judge: one statement counts the try, compares and spends, so of simultaneous tries no more are heard than
// there are left, and a right code passes once.
/** Tries a code. Undefined: no code can pass this challenge any more. Otherwise `spentAt` tells whether this one did. */
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

/** Ends a sign-up that waits for its code, or the decoy of one; undefined when another request was first. */
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

/** Spends a challenge whose phone was proven in another way, once. Undefined: nothing can pass this challenge any more. */
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

/** Puts a new code, with new tries, in place of the old one. False: the last one was sent less than 30 s ago. */
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

/** A stored text, still encrypted. */
export type StoredText = { id: string; textEncrypted: string; sentAt: Date };

// The phone shows the newest few, as phones do.
const shownMax = 10;

/** Stores a text that goes out to a phone; `challengeId` or `personId` says who may read it in a sandbox. */
export async function insertText(
  tx: Db,
  text: { id: string; phone: string; challengeId?: string; personId?: string; textEncrypted: string },
): Promise<void> {
  await tx.insert(texts).values({ ...text, sentAt: harborNow });
}

/** The newest texts of one challenge, the newest last. */
export function listTextsOfChallenge(db: Db, challengeId: string): Promise<StoredText[]> {
  return listTexts(db, eq(texts.challengeId, challengeId));
}

/** The newest texts to one person, the newest last. */
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

/** Counts one more attempt of this kind in the subject's window, which opens with its first. One statement, so none slips by. */
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

/** Counts one attempt less in the subject's window. */
export async function uncountAttempt(db: Db, kind: string, subjectHash: Buffer): Promise<void> {
  await db
    .update(attempts)
    .set({ count: sql`greatest(${attempts.count} - 1, 0)` })
    .where(and(eq(attempts.kind, kind), eq(attempts.subjectHash, subjectHash)));
}

/** Forgets the attempts of a subject that has proven itself. */
export async function deleteAttempts(db: Db, kind: string, subjectHash: Buffer): Promise<void> {
  await db.delete(attempts).where(and(eq(attempts.kind, kind), eq(attempts.subjectHash, subjectHash)));
}

import { and, eq, gt, isNull, lt, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import { type Db, harborNow } from "./database.ts";
import { signInChallenges } from "./schema.ts";

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

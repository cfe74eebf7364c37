import { and, eq, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { attempts } from "./schema.ts";

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

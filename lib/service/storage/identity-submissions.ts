import { eq } from "drizzle-orm";
import { clientTime } from "./client-time.ts";
import type { Db } from "./database.ts";
import { identitySubmissions } from "./schema.ts";

/** What a person sent in, encrypted for its own row, see `submissionContext`. */
export type IdentitySubmission = typeof identitySubmissions.$inferSelect;

/** The encryption context of a submission: a ciphertext moved to another row does not decrypt. */
export function submissionContext(submissionId: string): string {
  return `identity_submissions.content:${submissionId}`;
}

/** Stores what a person sent in; false when there is one of its kind already, which stays. */
export async function insertIdentitySubmission(
  tx: Db,
  { clientId, ...submission }: Omit<IdentitySubmission, "createdAt"> & { clientId: string },
): Promise<boolean> {
  const inserted = await tx
    .insert(identitySubmissions)
    .values({ ...submission, createdAt: clientTime(clientId) })
    .onConflictDoNothing({ target: [identitySubmissions.userId, identitySubmissions.kind] })
    .returning({ id: identitySubmissions.id });
  return inserted.length === 1;
}

/** One submission with its content; undefined when there is none. */
export async function findIdentitySubmission(db: Db, id: string): Promise<IdentitySubmission | undefined> {
  const [row] = await db.select().from(identitySubmissions).where(eq(identitySubmissions.id, id));
  return row;
}

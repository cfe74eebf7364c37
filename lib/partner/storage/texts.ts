import { desc, eq, type SQL } from "drizzle-orm";
import { type Db, harborNow } from "./database.ts";
import { texts } from "./schema.ts";

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

import { and, count, eq, gt, sql } from "drizzle-orm";
import { firstIdAt, newId } from "../../kit/ids.ts";
import { channels, notify } from "./channels.ts";
import { clientTimeOfInsert } from "./clients.ts";
import type { Db, PhoneOfClient } from "./database.ts";
import { keysetPage } from "./pagination.ts";
import { failedVerifications, messages, visits } from "./schema.ts";

export type Message = typeof messages.$inferSelect;

export function messageContext(messageId: string): string {
  return `messages.text:${messageId}`;
}

export type NewMessage = Pick<Message, "id" | "clientId" | "phone" | "textEncrypted"> & {
  /** Whether a carrier sends it, until its code expires; otherwise a sandbox's pages show it. */
  isForCarrier: boolean;
  endsInSeconds: number;
};

export async function insertMessage(tx: Db, { isForCarrier, endsInSeconds, ...message }: NewMessage): Promise<void> {
  await tx.insert(messages).values({
    ...message,
    outcome: isForCarrier ? "waiting" : "shown",
    nextAttemptRealAt: isForCarrier ? sql`now()` : null,
    endsRealAt: sql`now() + make_interval(secs => ${endsInSeconds})`,
    sentAt: clientTimeOfInsert(message.clientId),
  });
  if (isForCarrier) await notify(tx, channels.messages);
}

/** Call when a visit's code is replaced or no longer needed: its text isn't sent if it's still waiting. */
export async function expireVerificationMessage(tx: Db, visitId: string): Promise<void> {
  const messageId = sql`(select ${visits.verificationMessageId} from ${visits} where ${visits.id} = ${visitId})`;
  await tx
    .update(messages)
    .set({ outcome: "expired", nextAttemptRealAt: null })
    .where(and(eq(messages.id, messageId), eq(messages.outcome, "waiting")));
}

/** Newest first. */
export async function listMessages(
  db: Db,
  { clientId, phone, limit }: { clientId: string; phone: string; limit: number },
): Promise<Message[]> {
  const { isOnPage, newestFirst } = keysetPage(
    [
      [messages.clientId, clientId],
      [messages.phone, phone],
    ],
    messages.id,
  );
  return db.select().from(messages).where(isOnPage).orderBy(newestFirst).limit(limit);
}

/** Counts texts to a phone by the real time in their ids, so that a clock jump doesn't affect the limit. */
export async function countMessages(
  db: Db,
  { clientId, phone, since }: { clientId: string; phone: string; since: Date },
): Promise<number> {
  const [row] = await db
    .select({ sent: count() })
    .from(messages)
    .where(and(eq(messages.clientId, clientId), eq(messages.phone, phone), gt(messages.id, firstIdAt(since))));
  return row?.sent ?? 0;
}

/** Serializes a phone's code attempts and texts until the transaction ends, so that races can't exceed the limits. */
export async function lockPhone(tx: Db, { clientId, phone }: PhoneOfClient): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${clientId} ${phone}`}, 0))`);
}

/** The wrong codes of a phone in the last 24 hours of real time. */
export async function countFailedVerifications(db: Db, { clientId, phone }: PhoneOfClient): Promise<number> {
  const [row] = await db
    .select({ failures: count() })
    .from(failedVerifications)
    .where(
      and(
        eq(failedVerifications.clientId, clientId),
        eq(failedVerifications.phone, phone),
        gt(failedVerifications.failedRealAt, sql`now() - interval '24 hours'`),
      ),
    );
  return row?.failures ?? 0;
}

export async function insertFailedVerification(db: Db, { clientId, phone }: PhoneOfClient): Promise<void> {
  await db.insert(failedVerifications).values({ id: newId(), clientId, phone });
}

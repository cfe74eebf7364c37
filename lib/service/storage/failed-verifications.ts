import { and, count, eq, gt, sql } from "drizzle-orm";
import { newId } from "../../kit/ids.ts";
import type { Db } from "./database.ts";
import { failedVerifications } from "./schema.ts";

/** A phone as one client's people use it. */
export type ClientPhone = { clientId: string; phone: string };

/** Lets the tries at one phone happen one after another until the transaction ends, so that no race outruns the count. */
export async function lockPhone(tx: Db, { clientId, phone }: ClientPhone): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${clientId} ${phone}`}, 0))`);
}

/** How many wrong codes were tried at this phone within 24 hours of real time. */
export async function countFailedVerifications(db: Db, { clientId, phone }: ClientPhone): Promise<number> {
  const [row] = await db
    .select({ failures: count() })
    .from(failedVerifications)
    .where(
      and(
        eq(failedVerifications.clientId, clientId),
        eq(failedVerifications.phone, phone),
        gt(failedVerifications.failedRealAt, sql`now() - interval '1 day'`),
      ),
    );
  return row?.failures ?? 0;
}

/** Notes one wrong code. */
export async function insertFailedVerification(db: Db, { clientId, phone }: ClientPhone): Promise<void> {
  await db.insert(failedVerifications).values({ id: newId(), clientId, phone });
}

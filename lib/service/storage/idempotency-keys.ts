import { and, eq, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { idempotencyKeys } from "./schema.ts";

/** What a key is unique within; `userScope` is the empty text where the operation is the client's own. Decision D13 */
export type IdempotencyScope = { clientId: string; userScope: string; operation: string; key: string };

/** A stored answer: its status and its body to the byte, and what the request meant that it answered. */
export type StoredAnswer = { fingerprint: Buffer; responseStatus: number; responseBody: string };

/**
 * Makes the transaction the only one that works on this key, until it ends; waits `waitMs` at most. Returns false, and the
 * transaction is good for nothing more than to roll back, when another one was still at it.
 */
export async function lockIdempotencyKey(tx: Db, scope: IdempotencyScope, waitMs: number): Promise<boolean> {
  const { clientId, userScope, operation, key } = scope;
  const name = JSON.stringify([clientId, userScope, operation, key]);
  await tx.execute(sql`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`);
  try {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
  await tx.execute(sql`select set_config('lock_timeout', '0', true)`);
  return true;
}

/** The answer that was stored for this key, if it was. */
export async function findStoredAnswer(tx: Db, scope: IdempotencyScope): Promise<StoredAnswer | undefined> {
  const [row] = await tx
    .select({
      fingerprint: idempotencyKeys.fingerprint,
      responseStatus: idempotencyKeys.responseStatus,
      responseBody: idempotencyKeys.responseBody,
    })
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.clientId, scope.clientId),
        eq(idempotencyKeys.userScope, scope.userScope),
        eq(idempotencyKeys.operation, scope.operation),
        eq(idempotencyKeys.key, scope.key),
      ),
    );
  return row;
}

/** Stores the answer in the transaction that did the work, so that there is never one without the other. */
export async function insertStoredAnswer(tx: Db, answer: IdempotencyScope & StoredAnswer): Promise<void> {
  await tx.insert(idempotencyKeys).values(answer);
}

// lock_not_available, PostgreSQL appendix A.
function isLockTimeout(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "55P03";
}

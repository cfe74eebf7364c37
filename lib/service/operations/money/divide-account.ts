import { setTimeout as delay } from "node:timers/promises";
import { isLockTimeout } from "../../../kit/database-errors.ts";
import { spreadEvenly } from "../../domain/account-parts.ts";
import { lockAllParts, lockDividableAccount, replaceParts, sumHoldsByPart } from "../../storage/account-parts.ts";
import { type Connection, inTransaction } from "../../storage/database.ts";

/** What became of dividing an account: how many parts it had before, or why it stays as it was. */
export type DivisionOutcome =
  | { kind: "divided"; partsBefore: number }
  | { kind: "account_not_found" | "account_not_divisible" | "books_disagree" };

// Shorter than a set of bookings waits for its rows, because all that comes after this waits behind it.
const lockTimeoutMs = 200;
const pauseMs = { least: 100, most: 1000 };

/**
 * Gives an account so many parts, spreads what it has available evenly over them, or with 0 folds them back into its own row.
 * Beside the load: what books or settles meanwhile waits a moment, and as often as others are waited for longer than that it
 * lets them pass and tries again, for `tryForMs` at most; then it throws.
 */
export async function divideAccount(
  accountId: string,
  parts: number,
  { tryForMs = 120_000 }: { tryForMs?: number } = {},
): Promise<DivisionOutcome> {
  const giveUpAt = performance.now() + tryForMs;
  while (true) {
    try {
      return await inTransaction((_tx, connection) => divide(connection, accountId, parts), { lockTimeoutMs });
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > giveUpAt) throw error;
      await delay(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least));
    }
  }
}

async function divide(connection: Connection, accountId: string, parts: number): Promise<DivisionOutcome> {
  await lockAllParts(connection);
  const account = await lockDividableAccount(connection, accountId);
  if (!account) return { kind: "account_not_found" };
  if (account.isFunding) return { kind: "account_not_divisible" };
  const heldCents = await sumHoldsByPart(connection, { accountId, parts });
  const isAllKnown = parts === 0 || heldCents.reduce((sum, one) => sum + one, 0n) === account.heldCents;
  if (!isAllKnown) return { kind: "books_disagree" };
  const availableCents = account.balanceCents - account.heldCents;
  await replaceParts(connection, { accountId, whole: account, parts: spreadEvenly(availableCents, heldCents) });
  return { kind: "divided", partsBefore: account.parts };
}

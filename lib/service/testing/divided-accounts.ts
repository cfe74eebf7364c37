import { divideAccount } from "../operations/money/divide-account.ts";

const setting = "TEST_ACCOUNT_PARTS";

/** From now on the accounts that tests make have so many parts, in this process and in those that it starts. */
export function divideTestAccounts(parts: number): void {
  process.env[setting] = String(parts);
}

/** How many parts the accounts have that tests make; 0 unless they are to have some. */
export function testAccountParts(): number {
  return Number(process.env[setting] ?? 0);
}

/** Divides these accounts, if tests are to have divided ones. */
export async function divideIfAsked(accountIds: readonly string[]): Promise<void> {
  const parts = testAccountParts();
  if (parts > 0) for (const id of accountIds) await divideAccount(id, parts);
}

import { randomInt } from "node:crypto";
import { insertAccount, listAccounts } from "../../storage/accounts.ts";
import type { Db } from "../../storage/database.ts";
import type { User } from "../../storage/users.ts";

/** Opens the wallet that every approved personal user has; one who has an account already keeps that. Decision D12 */
export async function openWallet(tx: Db, { id: userId, clientId, userType }: User): Promise<void> {
  if (userType !== "personal" || (await listAccounts(tx, userId)).length > 0) return;
  await insertAccount(tx, { clientId, userId, name: "Wallet", type: "wallet", mask: newMask() });
}

/** The last four digits of a new account's number, which are all that anybody sees of it. */
export function newMask(): string {
  return String(randomInt(10_000)).padStart(4, "0");
}

import { type Account, findAccount, listAccounts as listAccountsOf } from "../../storage/accounts.ts";
import { database } from "../../storage/database.ts";
import type { UserCaller } from "../tokens/authenticate-access-token.ts";

export type { Account } from "../../storage/accounts.ts";

/** The caller's payment instruments, oldest first. */
export function listAccounts({ user }: UserCaller): Promise<Account[]> {
  return listAccountsOf(database(), user.id);
}

/** One of the caller's payment instruments, or undefined when it is missing or somebody else's. */
export function readAccount(id: string, { user }: UserCaller): Promise<Account | undefined> {
  return findAccount(database(), { id, userId: user.id });
}

import type { AccountRecord } from "../../contract/accounts.ts";
import { listAccounts } from "../service-client/accounts.ts";
import { database } from "../storage/database.ts";
import { beginRead, keepUserAccount } from "../storage/service-users.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";

/**
 * Reads a user's accounts and keeps in mind the one that money goes to (a seller's) or comes from (the business's).
 * Undefined when the service does not tell, which is not the same as none.
 */
export async function refreshAccount(serviceUserId: string): Promise<AccountRecord[] | undefined> {
  const read = await beginRead(database());
  const answer = await withAccessToken(serviceUserId, listAccounts);
  if (answer.kind !== "ok") return undefined;
  const { accounts } = answer.body;
  const openIds = accounts.filter(({ status }) => status === "open").map(({ id }) => id);
  await keepUserAccount(database(), serviceUserId, openIds, read);
  return accounts;
}

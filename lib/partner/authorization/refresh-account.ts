import { listAccounts } from "../service-client/accounts.ts";
import { database } from "../storage/database.ts";
import { updateServiceUser } from "../storage/service-users.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";

/**
 * Keeps in mind the account that money goes to (a seller's) or comes from (the business's): the first open one. Nothing
 * happens when the service does not tell; a person who is not approved has none yet.
 */
export async function refreshAccount(serviceUserId: string): Promise<void> {
  const answer = await withAccessToken(serviceUserId, listAccounts);
  if (answer.kind !== "ok") return;
  const account = answer.body.accounts.find(({ status }) => status === "open");
  if (account) await updateServiceUser(database(), { id: serviceUserId, accountId: account.id });
}

import { service } from "../service.ts";
import type { AccountList } from "../service-client/accounts.ts";
import { isClosedAccount, isUnpayableUser } from "../service-client/refusing-words.ts";
import { database } from "../storage/database.ts";
import { beginRead, keepUser, listSellersWithoutAccount } from "../storage/service-users.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";

/**
 * Reads a user's accounts and keeps in mind the one that money goes to (a seller's) or comes from (the business's).
 * Undefined when the service does not tell, which is not the same as none.
 */
export async function refreshAccount(serviceUserId: string): Promise<AccountList | undefined> {
  const read = await beginRead(database());
  const answer = await withAccessToken(serviceUserId, service().listAccounts);
  if (answer.kind !== "ok") return undefined;
  await keepUser(database(), serviceUserId, { usableAccountIds: usableIdsOf(answer.body) }, read);
  return answer.body;
}

/** The ids of the accounts that money can go to, in the service's order. */
export function usableIdsOf({ items }: AccountList): string[] {
  return items.filter(({ status }) => !isClosedAccount(status)).map(({ id }) => id);
}

const missingMax = 20;

/** Asks again for the accounts of sellers who could be paid if Harbor knew theirs: at the callback the service may not have told. */
export async function refreshMissingAccounts(): Promise<void> {
  const sellers = await listSellersWithoutAccount(database());
  const payable = sellers.filter(({ status }) => !isUnpayableUser(status));
  await Promise.all(payable.slice(0, missingMax).map(({ id }) => refreshAccount(id)));
}

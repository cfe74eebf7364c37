import { service } from "../service.ts";
import type { AccountList } from "../service-client/accounts.ts";
import type { Answer } from "../service-client/answer.ts";
import { isClosedAccount, isUnpayableUser } from "../service-client/refusing-words.ts";
import { database } from "../storage/database.ts";
import { beginRead, keepUserAccount, listSellersWithoutAccount } from "../storage/service-users.ts";
import type { ReauthorizationRequired } from "../tokens/refresh-access-token.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";

/**
 * Reads a user's accounts and keeps in mind the one that money goes to (a seller's) or comes from (the business's).
 * Undefined when the service does not tell, which is not the same as none.
 */
export async function refreshAccount(serviceUserId: string): Promise<AccountList | undefined> {
  const read = await beginRead(database());
  return keepAccount(serviceUserId, await withAccessToken(serviceUserId, service().listAccounts), read);
}

/**
 * Keeps in mind what an answer of the service says of a user's accounts.
 * @param read the number of the read, drawn before the service was asked
 */
export async function keepAccount(
  serviceUserId: string,
  answer: Answer<AccountList> | ReauthorizationRequired,
  read: number,
): Promise<AccountList | undefined> {
  if (answer.kind !== "ok") return undefined;
  const usableIds = answer.body.items.filter(({ status }) => !isClosedAccount(status)).map(({ id }) => id);
  await keepUserAccount(database(), serviceUserId, usableIds, read);
  return answer.body;
}

const missingMax = 20;

/** Asks again for the accounts of sellers who could be paid if Harbor knew theirs: at the callback the service may not have told. */
export async function refreshMissingAccounts(): Promise<void> {
  const sellers = await listSellersWithoutAccount(database());
  const payable = sellers.filter(({ status }) => !isUnpayableUser(status));
  await Promise.all(payable.slice(0, missingMax).map(({ id }) => refreshAccount(id)));
}

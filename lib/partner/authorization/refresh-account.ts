import type { AccountList } from "#client";
import { isClosedAccount, isUnpayableUser } from "../connections/status-words.ts";
import type { Partner } from "../partner.ts";
import { beginRead, keepUser, listSellersWithoutAccount } from "../storage/service-users.ts";

/**
 * Reads a user's accounts and keeps in mind the one that money goes to (a seller's) or comes from (the business's).
 * Undefined when the service does not tell, which is not the same as none.
 */
export async function refreshAccount(partner: Partner, serviceUserId: string): Promise<AccountList | undefined> {
  const read = await beginRead(partner.db);
  const answer = await partner.tokens.call(serviceUserId, partner.client.listAccounts);
  if (answer.kind !== "ok") return undefined;
  await keepUser(partner.db, serviceUserId, { usableAccountIds: usableIdsOf(answer.body) }, read);
  return answer.body;
}

/** The ids of the accounts that money can go to, in the service's order. */
export function usableIdsOf({ items }: AccountList): string[] {
  return items.filter(({ status }) => !isClosedAccount(status)).map(({ id }) => id);
}

const missingMax = 20;

/** Asks again for the accounts of sellers who could be paid if Harbor knew theirs: at the callback the service may not have told. */
export async function refreshMissingAccounts(partner: Partner): Promise<void> {
  const sellers = await listSellersWithoutAccount(partner.db);
  const payable = sellers.filter(({ status }) => !isUnpayableUser(status));
  await Promise.all(payable.slice(0, missingMax).map(({ id }) => refreshAccount(partner, id)));
}

import type { AccountList } from "#client";
import { isClosedAccount, isUnpayableUser } from "../connections/status-words.ts";
import { service } from "../service.ts";
import { database } from "../storage/database.ts";
import { beginRead, keepUser, listSellersWithoutAccount } from "../storage/service-users.ts";
import { tokens } from "../tokens/token-store.ts";

/**
 * Reads a user's accounts and keeps in mind the one that money goes to (a seller's) or comes from (the business's).
 * Undefined when the service does not tell, which is not the same as none.
 */
export async function refreshAccount(serviceUserId: string): Promise<AccountList | undefined> {
  const read = await beginRead(database());
  const answer = await tokens().call(serviceUserId, service().listAccounts);
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

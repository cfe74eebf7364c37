import type { AccountList } from "#client";
import { log } from "../../kit/log.ts";
import type { TraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import {
  beginRead,
  claimSellersToRefresh,
  listSellersWithoutAccount,
  storeUserSnapshot,
} from "../storage/service-users.ts";
import { isClosedAccount, isUnpayableUser } from "./status-words.ts";

/** Reads a user's accounts and stores the one that payments use. Undefined when they could not be read. */
export async function refreshAccount(partner: Partner, serviceUserId: string): Promise<AccountList | undefined> {
  const read = await beginRead(partner.db);
  const answer = await partner.tokens.call(serviceUserId, partner.client.listAccounts);
  if (answer.kind !== "ok") return undefined;
  await storeUserSnapshot(partner.db, serviceUserId, { usableAccountIds: usableIdsOf(answer.body) }, read);
  return answer.body;
}

/** The ids of the accounts that can receive money, in the service's order. */
export function usableIdsOf({ items }: AccountList): string[] {
  return items.filter(({ status }) => !isClosedAccount(status)).map(({ id }) => id);
}

const missingMax = 20;

/** Reads the accounts of payable sellers whose account is unknown: the service may not have listed it at the callback. */
export async function refreshMissingAccounts(partner: Partner): Promise<void> {
  const sellers = await listSellersWithoutAccount(partner.db);
  const payable = sellers.filter(({ status }) => !isUnpayableUser(status));
  await Promise.all(payable.slice(0, missingMax).map(({ id }) => refreshAccount(partner, id)));
}

const secondsBetweenReads = 60;
const sellersMax = 20;
const waitMs = 2000;

/** Reads sellers' statuses before they are offered, each at most once a minute: a suspension's webhook may never come. */
export async function refreshSellers(partner: Partner): Promise<void> {
  const ids = await claimSellersToRefresh(partner.db, { limit: sellersMax, seconds: secondsBetweenReads });
  const reading = Promise.all(ids.map((id) => refreshUserStatus(partner, id)));
  await waitAtMost(
    waitMs,
    reading.catch((error) => log().error({ error }, "reading sellers again failed")),
  );
}

export async function refreshUserStatus(partner: Partner, id: string, options: { traceId?: TraceId } = {}) {
  const read = await beginRead(partner.db);
  const answer = await partner.tokens.call(id, (accessToken) => partner.client.readUser(accessToken, options));
  if (answer.kind === "ok") await storeUserSnapshot(partner.db, id, { status: answer.body.status }, read);
  return answer.kind;
}

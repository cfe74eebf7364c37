import {
  type AccountList,
  type Answer,
  decisionOf,
  type ReauthorizationRequired,
  type Unsuccessful,
  type User,
} from "#client";
import { words } from "#words";
import type { TraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { type ActionResult, problemAt } from "../requests/form-state.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { type RoutineListItem, readNewestRoutines } from "../routines/routine-view.ts";
import { isClosedAccount, isUnpayableUser } from "../statuses.ts";
import type { Person } from "../storage/people.ts";
import {
  beginRead,
  claimSellersToRefresh,
  findServiceUser,
  findServiceUserOfPerson,
  listSellersWithoutAccount,
  markDisconnected,
  storeUserSnapshot,
} from "../storage/service-users.ts";
import { findTokenPair } from "../storage/token-pairs.ts";
import { type SellerPayment, sellerPaymentsOf } from "./seller-payments.ts";

/**
 * A user as the service showed it at `readAt` (ISO 8601). Undefined lists couldn't be read; `mayLoad`: another read may
 * succeed. `reauthorization_required`: no live token; `isDisconnected` if someone at Harbor ended it. `isAnswered`: the
 * service's answer was unusable.
 */
export type ConnectedUser =
  | {
      kind: "ok";
      readAt: string;
      user: User;
      accounts: AccountList | undefined;
      transfers: SellerPayment[] | undefined;
      mayLoad: boolean;
      connection: Connection;
    }
  | { kind: "reauthorization_required"; isDisconnected: boolean }
  | { kind: "unavailable"; isAnswered: boolean };

const transfersShown = 10;

/**
 * Reads a user's record, accounts and newest transfers in parallel, and stores status and account. Only sellers see
 * transfers; the business has Harbor's own payments.
 */
export async function readConnectedUser(
  partner: Partner,
  serviceUserId: string,
  { hasTransfers = true } = {},
): Promise<ConnectedUser> {
  const readAt = new Date().toISOString();
  const [read, token] = await Promise.all([beginRead(partner.db), partner.tokens.accessToken(serviceUserId)]);
  const [user, accountsAnswer, transfers] = await Promise.all([
    partner.tokens.call(serviceUserId, partner.client.readUser, token),
    partner.tokens.call(serviceUserId, partner.client.listAccounts, token),
    hasTransfers
      ? partner.tokens.call(serviceUserId, (it) => partner.client.listTransfers(it, { limit: transfersShown }), token)
      : undefined,
  ]);
  const accounts = accountsAnswer.kind === "ok" ? accountsAnswer.body : undefined;
  const ownIds = accounts?.items.map(({ id }) => id);
  const snapshot = {
    ...(user.kind === "ok" && { status: user.body.status }),
    ...(accounts && { usableAccountIds: usableIdsOf(accounts) }),
  };
  const [connection] = await Promise.all([
    readConnection(partner, serviceUserId),
    storeUserSnapshot(partner.db, serviceUserId, snapshot, read),
  ]);
  if (user.kind === "reauthorization_required") {
    const known = await findServiceUser(partner.db, serviceUserId);
    return { ...user, isDisconnected: (known?.disconnectedAt ?? null) !== null };
  }
  if (user.kind !== "ok") return { kind: "unavailable", isAnswered: user.kind !== "unreachable" };
  return {
    kind: "ok",
    readAt,
    user: user.body,
    // Both lists are specific to our service (Decisions D12, D13).
    accounts,
    transfers: transfers?.kind === "ok" ? sellerPaymentsOf(partner, transfers.body.items, ownIds) : undefined,
    mayLoad: mayLoad(accountsAnswer) || (transfers !== undefined && mayLoad(transfers)),
    connection,
  };
}

function mayLoad(answer: Answer<unknown> | ReauthorizationRequired): boolean {
  if (answer.kind === "unreachable") return true;
  return answer.kind === "refused" && decisionOf(answer) !== "definite";
}

/** When Harbor's tokens for a user expire, in ISO 8601. */
export type Connection =
  | { kind: "connected"; accessTokenExpiresAt: string; refreshTokenExpiresAt: string; issuedAt: string }
  | { kind: "disconnected" };

export async function readConnection(partner: Partner, serviceUserId: string): Promise<Connection> {
  const pair = await findTokenPair(partner.db, serviceUserId);
  if (!pair || pair.refreshTokenSeconds <= 0) return { kind: "disconnected" };
  const { accessTokenExpiresAt, refreshTokenExpiresAt, issuedAt } = pair;
  return {
    kind: "connected",
    accessTokenExpiresAt: accessTokenExpiresAt.toISOString(),
    refreshTokenExpiresAt: refreshTokenExpiresAt.toISOString(),
    issuedAt: issuedAt.toISOString(),
  };
}

export async function findServiceUserId(partner: Partner, seller: Person): Promise<string | undefined> {
  return (await findServiceUserOfPerson(partner.db, seller.id))?.id;
}

export async function findBusinessUserId(partner: Partner): Promise<string | undefined> {
  return (await findServiceUser(partner.db, partner.config.businessUserId))?.id;
}

export type ConnectedBusiness = { connected: ConnectedUser; payments: RoutineListItem[] };

const paymentsShown = 5;

export async function readConnectedBusiness(partner: Partner): Promise<ConnectedBusiness | undefined> {
  const serviceUserId = await findBusinessUserId(partner);
  if (serviceUserId === undefined) return undefined;
  const [connected, payments] = await Promise.all([
    readConnectedUser(partner, serviceUserId, { hasTransfers: false }),
    readNewestRoutines(partner, paymentsShown),
  ]);
  return { connected, payments };
}

/** Reads a user's accounts and stores the one that payments use. Undefined if they couldn't be read. */
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
const waitMs = 2000;

/**
 * Reads accounts of payable sellers without a known one: the service might not have listed it at the callback. Slow
 * answers are stored when they arrive. `areAllRead`: the rest have none.
 */
export async function refreshMissingAccounts(partner: Partner): Promise<{ areAllRead: boolean }> {
  const sellers = await listSellersWithoutAccount(partner.db);
  const payable = sellers.filter(({ status }) => !isUnpayableUser(status));
  const reading = payable.slice(0, missingMax).map(({ id }) => {
    const failure = "reading a seller's accounts failed";
    return waitAtMost(waitMs, refreshAccount(partner, id), failure, { serviceUserId: id });
  });
  const lists = await Promise.all(reading);
  const isRead = (list?: AccountList) => list !== undefined && (list.isWhole || usableIdsOf(list).length > 0);
  return { areAllRead: payable.length <= missingMax && lists.every(isRead) };
}

const secondsBetweenReads = 60;
const sellersMax = 20;

/** Refreshes sellers' statuses before they are offered, each at most once a minute: webhooks can get lost. */
export async function refreshSellers(partner: Partner): Promise<void> {
  const ids = await claimSellersToRefresh(partner.db, { limit: sellersMax, seconds: secondsBetweenReads });
  const reading = Promise.all(ids.map((id) => refreshUserStatus(partner, id)));
  await waitAtMost(waitMs, reading, "refreshing sellers failed");
}

export async function refreshUserStatus(partner: Partner, id: string, options: { traceId?: TraceId } = {}) {
  const read = await beginRead(partner.db);
  const answer = await partner.tokens.call(id, (accessToken) => partner.client.readUser(accessToken, options));
  if (answer.kind === "ok") await storeUserSnapshot(partner.db, id, { status: answer.body.status }, read);
  return answer.kind;
}

export async function submitSellerDisconnect(
  partner: Partner,
  _fields: unknown,
  person: Person,
): Promise<ActionResult> {
  const user = await findServiceUserOfPerson(partner.db, person.id);
  return disconnect(partner, user?.id, "/dashboard");
}

export function submitBusinessDisconnect(partner: Partner): Promise<ActionResult> {
  return disconnect(partner, partner.config.businessUserId, "/business");
}

async function disconnect(partner: Partner, serviceUserId: string | undefined, page: string): Promise<ActionResult> {
  if (serviceUserId === undefined) return { redirectTo: page };
  // First, because deleting the tokens makes open pages read it.
  await markDisconnected(partner.db, serviceUserId);
  const ended = await partner.tokens.disconnect(serviceUserId);
  if (ended.kind === "failed") {
    await markDisconnected(partner.db, serviceUserId, false);
    return problemAt("form", disconnectProblem(ended.trouble));
  }
  return { redirectTo: ended.kind === "forgotten_here" ? `${page}?ended=here` : page };
}

export function disconnectProblem({ kind }: Unsuccessful): string {
  return words("connection.disconnect")(kind === "unreachable" ? "noAnswer" : "notEnded");
}

import type { AccountList, Transfer, User } from "#client";
import type { Partner } from "../partner.ts";
import { type RoutineListItem, readNewestRoutines } from "../routines/list-routines.ts";
import { type Meaning, meaningOf } from "../routines/status-meaning.ts";
import type { Person } from "../storage/people.ts";
import { beginRead, findServiceUser, findServiceUserOfPerson, storeUserSnapshot } from "../storage/service-users.ts";
import { findTokenPair } from "../storage/token-pairs.ts";
import { usableIdsOf } from "./refresh-users.ts";

export type MeantTransfer = Transfer & { meaning: Meaning };

/**
 * A user as the service shows it now, ready for JSON. `accounts` or `transfers` undefined: could not be read.
 * `reauthorization_required`: Harbor has no live token. `unavailable` with `isAnswered`: the answer was of no use.
 */
export type ConnectedUser =
  | {
      kind: "ok";
      user: User;
      accounts: AccountList | undefined;
      transfers: MeantTransfer[] | undefined;
      connection: Connection;
    }
  | { kind: "reauthorization_required" }
  | { kind: "unavailable"; isAnswered: boolean };

const transfersShown = 10;

/** Reads record, accounts and newest transfers of a user together, and stores status and account. */
export async function readConnectedUser(partner: Partner, serviceUserId: string): Promise<ConnectedUser> {
  const [read, token] = await Promise.all([beginRead(partner.db), partner.tokens.accessToken(serviceUserId)]);
  const [user, accountsAnswer, transfers] = await Promise.all([
    partner.tokens.call(serviceUserId, partner.client.readUser, token),
    partner.tokens.call(serviceUserId, partner.client.listAccounts, token),
    partner.tokens.call(serviceUserId, (it) => partner.client.listTransfers(it, { limit: transfersShown }), token),
  ]);
  const accounts = accountsAnswer.kind === "ok" ? accountsAnswer.body : undefined;
  const snapshot = {
    ...(user.kind === "ok" && { status: user.body.status }),
    ...(accounts && { usableAccountIds: usableIdsOf(accounts) }),
  };
  const [connection] = await Promise.all([
    readConnection(partner, serviceUserId),
    storeUserSnapshot(partner.db, serviceUserId, snapshot, read),
  ]);
  if (user.kind === "reauthorization_required") return user;
  if (user.kind !== "ok") return { kind: "unavailable", isAnswered: user.kind !== "unreachable" };
  return {
    kind: "ok",
    user: user.body,
    // Both lists are specific to our service (Decisions D12, D13).
    accounts,
    transfers:
      transfers.kind === "ok" ? transfers.body.items.map((transfer) => withMeaning(partner, transfer)) : undefined,
    connection,
  };
}

function withMeaning(partner: Partner, transfer: Transfer): MeantTransfer {
  return { ...transfer, meaning: meaningOf(partner, transfer.status ?? "") };
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
    readConnectedUser(partner, serviceUserId),
    readNewestRoutines(partner, paymentsShown),
  ]);
  return { connected, payments };
}

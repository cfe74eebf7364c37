import { timingSafeEqual } from "node:crypto";
import { createBatcher } from "../../../kit/batcher.ts";
import { sha256 } from "../../../kit/secrets.ts";
import { type Cell, cellOfSecret, inCell, perCell } from "../../cells.ts";
import { findCellOfClient } from "../../storage/client-cells.ts";
import { type Client, findClientForAuthentication } from "../../storage/clients.ts";
import type { User } from "../../storage/people.ts";
import { findTokenHolders } from "../../storage/tokens.ts";
import { accessTokenPrefix } from "./grant-tokens.ts";

export type { User } from "../../storage/people.ts";

/** The user of a valid access token, with what every user-level request needs. */
export type UserCaller = {
  cell: Cell;
  clientId: string;
  clientBusinessProfileId: string;
  /** Whether the API's request hook wraps this client's calls. */
  clientIsIntercepted: boolean;
  user: User;
};

/**
 * Callers see a revoked token as unknown; only `cause`, for the log, tells the two apart. `clientId` is the owner, for
 * the log and the client's own record.
 */
export type Authentication =
  | { kind: "valid"; caller: UserCaller }
  | { kind: "expired" | "superseded"; clientId: string }
  | { kind: "unknown"; cause: "access_token_revoked"; clientId: string }
  | { kind: "unknown"; cause: "access_token_unknown" | "token_of_another_kind"; clientId?: undefined };

/**
 * Looks up an access token in the database every time, so that every process refuses a replaced or revoked one
 * immediately.
 */
export async function authenticateAccessToken(accessToken: string): Promise<Authentication> {
  const cell = cellOfSecret(accessToken, accessTokenPrefix);
  const holder = cell === undefined ? undefined : await inCell(cell, () => lookUp()(sha256(accessToken)));
  if (cell === undefined || !holder) {
    // The prefix identifies other kinds of tokens in this header.
    const isOfThisKind = accessToken.startsWith(accessTokenPrefix);
    return { kind: "unknown", cause: isOfThisKind ? "access_token_unknown" : "token_of_another_kind" };
  }
  const { state, user, ...client } = holder;
  if (state === "revoked") return { kind: "unknown", cause: "access_token_revoked", clientId: user.clientId };
  if (state !== "valid") return { kind: state, clientId: user.clientId };
  return { kind: "valid", caller: { cell, clientId: user.clientId, ...client, user } };
}

// One set at a time makes sets larger, and a set of any size costs one round trip. A slow set blocks no others.
const lookUp = perCell("service.bearer_lookup", () =>
  createBatcher({ name: "set of token lookups", run: findTokenHolders, inFlightMax: 1, slowAfterMs: 25 }),
);

export type { Client } from "../../storage/clients.ts";

export type ClientCredentials = { clientId: string; clientSecret: string };

export type ClientCaller = { cell: Cell; client: Client };

export type ClientAuthentication =
  | { kind: "valid"; caller: ClientCaller }
  | { kind: "invalid_client"; cause: "client_unknown" | "client_secret_wrong" | "client_disabled" };

const noHash = Buffer.alloc(32);

/** Takes as long for an unknown client as for a wrong secret. Decision D2 */
export async function authenticateClient({ clientId, clientSecret }: ClientCredentials): Promise<ClientAuthentication> {
  const cell = await findCellOfClient(clientId);
  const client = cell === undefined ? undefined : await inCell(cell, () => findClientForAuthentication(clientId));
  // Compared even without a client, so that timing reveals nothing.
  const given = sha256(clientSecret);
  const isCurrent = timingSafeEqual(given, client?.secretHash ?? noHash);
  const isPrevious = timingSafeEqual(given, client?.previousSecretHash ?? noHash);
  const isRight = isCurrent || (isPrevious && Date.now() < Number(client?.previousSecretEndsRealAt));
  if (cell === undefined || !client) return { kind: "invalid_client", cause: "client_unknown" };
  if (!isRight) return { kind: "invalid_client", cause: "client_secret_wrong" };
  if (client.disabledAt) return { kind: "invalid_client", cause: "client_disabled" };
  return { kind: "valid", caller: { cell, client } };
}

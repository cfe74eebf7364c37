import { timingSafeEqual } from "node:crypto";
import { createBatcher } from "../../../kit/batcher.ts";
import { processWide } from "../../../kit/memoize.ts";
import { sha256 } from "../../../kit/secrets.ts";
import { type Client, findClientForAuthentication } from "../../storage/clients.ts";
import { findTokenHolders } from "../../storage/tokens.ts";
import type { User } from "../../storage/users.ts";
import { accessTokenPrefix } from "./grant-tokens.ts";

export type { User } from "../../storage/users.ts";

/** The user whom a valid access token speaks for, with what every user-level request needs to know. */
export type UserCaller = {
  clientId: string;
  authorizationId: string;
  /** The business profile that the client and its one business user share. */
  clientBusinessProfileId: string;
  /** Whether the API's request hook wraps this client's calls. */
  clientIsIntercepted: boolean;
  user: User;
};

/**
 * What an access token turned out to be. A revoked one is unknown to its caller; `cause` says which it was, for the log
 * only. Of one that counted once `clientId` tells whose it was, for the log and for that client's own record.
 */
export type Authentication =
  | { kind: "valid"; caller: UserCaller }
  | { kind: "expired" | "superseded"; clientId: string }
  | { kind: "unknown"; cause: "access_token_revoked"; clientId: string }
  | { kind: "unknown"; cause: "access_token_unknown" | "token_of_another_kind"; clientId?: undefined };

/**
 * Tells whom an access token speaks for. Asked of the database every time and kept nowhere, so that a token which was
 * replaced or revoked a moment ago is refused by every process.
 */
export async function authenticateAccessToken(accessToken: string): Promise<Authentication> {
  const holder = await lookUp()(sha256(accessToken));
  if (!holder) {
    // A refresh token, a code or a session token in the wrong header is recognized by its prefix.
    const isOfThisKind = accessToken.startsWith(accessTokenPrefix);
    return { kind: "unknown", cause: isOfThisKind ? "access_token_unknown" : "token_of_another_kind" };
  }
  const { state, user, ...client } = holder;
  if (state === "revoked") return { kind: "unknown", cause: "access_token_revoked", clientId: user.clientId };
  if (state !== "valid") return { kind: state, clientId: user.clientId };
  return { kind: "valid", caller: { clientId: user.clientId, ...client, user } };
}

// One set at a time, and so larger ones: each costs a round trip, whatever it holds. One that hangs holds up no others.
const lookUp = processWide("service.bearer_lookup", () =>
  createBatcher({ name: "set of token lookups", run: findTokenHolders, inFlightMax: 1, slowAfterMs: 25 }),
);

export type { Client } from "../../storage/clients.ts";

/** Who calls with the Basic scheme: the client application itself. */
export type ClientCaller = { client: Client };

/** The client that these credentials belong to, or for the operator what is wrong with them. */
export type ClientAuthentication =
  | { kind: "valid"; caller: ClientCaller }
  | { kind: "invalid_client"; cause: "client_unknown" | "client_secret_wrong" | "client_disabled" };

const noHash = Buffer.alloc(32);

/** Finds the client with this id and secret. It takes as long for an unknown client as for a wrong secret. Decision D2 */
export async function authenticateClient(credentials: {
  clientId: string;
  clientSecret: string;
}): Promise<ClientAuthentication> {
  const client = await findClientForAuthentication(credentials.clientId);
  // Compared even when there is no such client, so that the time reveals nothing.
  const given = sha256(credentials.clientSecret);
  const isCurrent = timingSafeEqual(given, client?.secretHash ?? noHash);
  const isPrevious = timingSafeEqual(given, client?.previousSecretHash ?? noHash);
  const isRight = isCurrent || (isPrevious && Date.now() < Number(client?.previousSecretEndsRealAt));
  if (!client) return { kind: "invalid_client", cause: "client_unknown" };
  if (!isRight) return { kind: "invalid_client", cause: "client_secret_wrong" };
  if (client.disabledAt) return { kind: "invalid_client", cause: "client_disabled" };
  return { kind: "valid", caller: { client } };
}

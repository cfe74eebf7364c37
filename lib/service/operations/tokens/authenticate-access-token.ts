import { createBatcher } from "../../../kit/batcher.ts";
import { processWide } from "../../../kit/memoize.ts";
import { sha256 } from "../../../kit/secrets.ts";
import { findTokenHolders } from "../../storage/access-tokens.ts";
import type { User } from "../../storage/users.ts";

export type { User } from "../../storage/users.ts";

/** The user whom a valid access token speaks for, with what every user-level request needs to know. */
export type UserCaller = {
  clientId: string;
  authorizationId: string;
  /** The business profile that the client and its one business user share. */
  clientBusinessProfileId: string;
  /** Whether something is to go wrong with some of the client's calls, in a sandbox. */
  clientHasFaults: boolean;
  user: User;
};

/** What an access token turned out to be. A revoked one is unknown; of one past its time `clientId` tells whose it was. */
export type Authentication =
  | { kind: "valid"; caller: UserCaller }
  | { kind: "expired" | "superseded"; clientId: string }
  | { kind: "unknown" };

/**
 * Tells whom an access token speaks for. Asked of the database every time and kept nowhere, so that a token which was
 * replaced or revoked a moment ago is refused by every process.
 */
export async function authenticateAccessToken(accessToken: string): Promise<Authentication> {
  const holder = await lookUp()(sha256(accessToken));
  if (!holder || holder.state === "revoked") return { kind: "unknown" };
  const { state, user, ...client } = holder;
  if (state !== "valid") return { kind: state, clientId: user.clientId };
  return { kind: "valid", caller: { clientId: user.clientId, ...client, user } };
}

const lookUp = processWide("service.bearer_lookup", () => createBatcher({ run: findTokenHolders }));

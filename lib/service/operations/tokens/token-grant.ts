import { newSecret, sha256 } from "../../../kit/secrets.ts";
import type { Redemption } from "../../domain/code-redemption.ts";
import type { RefreshTokenProblem } from "../../storage/token-pairs.ts";

/** A freshly issued pair in plain text: it leaves in the answer and is kept nowhere. */
export type IssuedTokenPair = { accessToken: string; refreshToken: string };

/**
 * What the token endpoint has to say: a pair, or that what was shown is good for none. `cause` says why, to the operator and
 * to nobody else. `busy`: another transaction holds the user for longer than a request can wait, and nothing was issued.
 */
export type TokenGrant = ({ kind: "granted" } & IssuedTokenPair) | InvalidGrant | { kind: "busy" };

/** The refusal of a code or a refresh token. */
export type InvalidGrant = { kind: "invalid_grant"; cause: GrantProblem };

type GrantProblem =
  | "code_unknown"
  | "code_of_another_client"
  | Exclude<Redemption, { kind: "grant" }>["cause"]
  | RefreshTokenProblem;

/** What every access token begins with. */
export const accessTokenPrefix = "gwa_";

/** A new pair, its kinds told by prefix. It is worth nothing until its hashes are stored. */
export function newTokenPair(): IssuedTokenPair {
  return { accessToken: newSecret(accessTokenPrefix), refreshToken: newSecret("gwr_") };
}

/** The hashes under which a pair is stored. */
export function hashesOf({ accessToken, refreshToken }: IssuedTokenPair) {
  return { accessTokenHash: sha256(accessToken), refreshTokenHash: sha256(refreshToken) };
}

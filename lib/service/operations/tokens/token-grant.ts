import { newSecret, sha256 } from "../../../kit/secrets.ts";

/** A freshly issued pair in plain text: it leaves in the answer and is kept nowhere. */
export type IssuedTokenPair = { accessToken: string; refreshToken: string };

/**
 * What the token endpoint has to say: a pair, or that what was shown is good for none. `busy`: another transaction holds the
 * user for longer than a request can wait, and nothing was issued.
 */
export type TokenGrant = ({ kind: "granted" } & IssuedTokenPair) | { kind: "invalid_grant" } | { kind: "busy" };

/** A new pair, its kinds told by prefix. It is worth nothing until its hashes are stored. */
export function newTokenPair(): IssuedTokenPair {
  return { accessToken: newSecret("gwa_"), refreshToken: newSecret("gwr_") };
}

/** The hashes under which a pair is stored. */
export function hashesOf({ accessToken, refreshToken }: IssuedTokenPair) {
  return { accessTokenHash: sha256(accessToken), refreshTokenHash: sha256(refreshToken) };
}

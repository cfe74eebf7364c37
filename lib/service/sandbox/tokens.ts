import { limits } from "../../contract/limits.ts";
import { lockUserTokens } from "../storage/authorizations.ts";
import { database, inTransaction } from "../storage/database.ts";
import { findUser } from "../storage/people.ts";
import { fingerprintsOf } from "./events/fingerprint.ts";
import { findClock } from "./storage/clocks.ts";
import { type ListedKey, listIdempotencyKeys as listNewestKeys } from "./storage/idempotency-keys.ts";
import {
  expireAccessToken,
  expireRefreshTokens,
  type IssuedToken,
  listNewestTokens,
  revokeTokensOfUser,
} from "./storage/issued-tokens.ts";

/** With the fingerprint that events show instead of the token. */
export type FingerprintedToken = Omit<IssuedToken, "tokenHash"> & { token: string };

/** A client's newest tokens and codes (`limits.pageSizeMax` of each kind), and its clock's time (Decision D16). */
export function readTokens(clientId: string): Promise<{ now: Date; tokens: FingerprintedToken[] }> {
  const { ofHash } = fingerprintsOf(clientId);
  return inTransaction(
    async (tx) => {
      const { now } = await findClock(tx, clientId);
      const tokens = await listNewestTokens(tx, { clientId, limit: limits.pageSizeMax });
      return { now, tokens: tokens.map(({ tokenHash, ...token }) => ({ ...token, token: ofHash(tokenHash) })) };
    },
    { isReadOnly: true },
  );
}

type OfUser = { userId: string; clientId: string };

/** Expires a user's live tokens of one kind, and returns how many; undefined for an unknown user. */
export function expireTokens(
  { userId, clientId }: OfUser,
  { kind }: { kind: "access_token" | "refresh_token" },
): Promise<number | undefined> {
  const expire = kind === "access_token" ? expireAccessToken : expireRefreshTokens;
  return ofLockedUser({ userId, clientId }, expire);
}

/** Ends a user's authorizations, and returns how many live tokens ended. */
export function revokeTokens(ofUser: OfUser): Promise<number | undefined> {
  return ofLockedUser(ofUser, revokeTokensOfUser);
}

// Serialized with everything that issues this user's tokens.
function ofLockedUser(ofUser: OfUser, end: typeof revokeTokensOfUser): Promise<number | undefined> {
  const { userId, clientId } = ofUser;
  return inTransaction(async (tx) => {
    if (!(await findUser(tx, { id: userId, clientId }))) return undefined;
    await lockUserTokens(tx, userId);
    return end(tx, ofUser);
  });
}

/** The newest keys, each with the fingerprint that events show in its place. */
export async function listIdempotencyKeys(clientId: string): Promise<(ListedKey & { fingerprint: string })[]> {
  const fingerprint = fingerprintsOf(clientId);
  const keys = await listNewestKeys(database(), { clientId, limit: limits.pageSizeMax });
  return keys.map((key) => ({ ...key, fingerprint: fingerprint(key.key) }));
}

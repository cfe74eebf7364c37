import { createTokenKeeper, type StoredTokens, storedTokensOf, type TokenPair, type TokenStore } from "#client";
import { decryptText, encryptText } from "../../kit/encryption.ts";
import { processWide } from "../../kit/memoize.ts";
import { partnerConfig } from "../config.ts";
import { service } from "../service.ts";
import { type Db, database } from "../storage/database.ts";
import { withRefreshLock } from "../storage/locks.ts";
import { deleteTokenPair, endAccessToken, findTokenPair, replaceTokenPair } from "../storage/token-pairs.ts";

/** Harbor's tokens of users of the service. One for the process, so that its callers share a refresh. */
export const tokens = processWide("partner.tokens", () =>
  createTokenKeeper({
    client: service(),
    store: createTokenStore(),
    canRevoke: partnerConfig().isRevocationUsed,
  }),
);

/** Keeps pairs in Harbor's database, encrypted; their seconds are counted by its clock. */
export function createTokenStore(): TokenStore {
  return {
    read: readTokenPair,
    write: (userId, pair) => writeTokens(database(), userId, pair),
    remove: removeToken,
    exclusively: withRefreshLock,
  };
}

/** Keeps a pair that the service just issued as the user's current one, in the caller's transaction. */
export function storeTokenPair(db: Db, serviceUserId: string, pair: TokenPair): Promise<void> {
  return writeTokens(db, serviceUserId, storedTokensOf(pair));
}

/** The user's current pair in plain text; undefined when there is none. */
export async function readTokenPair(serviceUserId: string): Promise<StoredTokens | undefined> {
  const row = await findTokenPair(database(), serviceUserId);
  if (!row) return undefined;
  const { keyring } = partnerConfig();
  const [accessToken, refreshToken] = await Promise.all([
    decryptText(row.accessTokenEncrypted, contextOf("access_token", serviceUserId), keyring),
    decryptText(row.refreshTokenEncrypted, contextOf("refresh_token", serviceUserId), keyring),
  ]);
  const { accessTokenSeconds, refreshTokenSeconds } = row;
  return { accessToken, refreshToken, accessTokenSeconds, refreshTokenSeconds };
}

async function writeTokens(
  db: Db,
  serviceUserId: string,
  { accessToken, refreshToken, ...lifetimes }: StoredTokens,
): Promise<void> {
  const { keyring } = partnerConfig();
  await replaceTokenPair(db, {
    serviceUserId,
    accessTokenEncrypted: await encryptText(accessToken, contextOf("access_token", serviceUserId), keyring),
    refreshTokenEncrypted: await encryptText(refreshToken, contextOf("refresh_token", serviceUserId), keyring),
    ...lifetimes,
  });
}

// Both statements name the row by its ciphertext, so a pair that took its place stays.
async function removeToken(
  serviceUserId: string,
  dead: { refreshToken: string } | { accessToken: string },
): Promise<void> {
  const row = await findTokenPair(database(), serviceUserId);
  if (!row) return;
  const { keyring } = partnerConfig();
  if ("refreshToken" in dead) {
    const current = await decryptText(row.refreshTokenEncrypted, contextOf("refresh_token", serviceUserId), keyring);
    if (current === dead.refreshToken) await deleteTokenPair(database(), row);
    return;
  }
  const current = await decryptText(row.accessTokenEncrypted, contextOf("access_token", serviceUserId), keyring);
  if (current === dead.accessToken) await endAccessToken(database(), row);
}

function contextOf(column: "access_token" | "refresh_token", serviceUserId: string): string {
  return `token_pairs.${column}:${serviceUserId}`;
}

import { type StoredTokens, storedTokensOf, type TokenPair, type TokenStore } from "#client";
import { decryptText, encryptText, type Keyring } from "../../kit/encryption.ts";
import type { Database, Db } from "../storage/database.ts";
import { deleteTokenPair, endAccessToken, findTokenPair, replaceTokenPair } from "../storage/token-pairs.ts";

/** Keeps pairs in Harbor's database, encrypted for their row; their seconds are counted by its clock. */
export function createTokenStore({ db, withRefreshLock }: Database, keyring: Keyring): TokenStore {
  const decrypted = (text: string, column: TokenColumn, userId: string) =>
    decryptText(text, contextOf(column, userId), keyring);

  async function read(userId: string): Promise<StoredTokens | undefined> {
    const row = await findTokenPair(db, userId);
    if (!row) return undefined;
    const [accessToken, refreshToken] = await Promise.all([
      decrypted(row.accessTokenEncrypted, "access_token", userId),
      decrypted(row.refreshTokenEncrypted, "refresh_token", userId),
    ]);
    const { accessTokenSeconds, refreshTokenSeconds } = row;
    return { accessToken, refreshToken, accessTokenSeconds, refreshTokenSeconds };
  }

  // Both statements name the row by its ciphertext, so a pair that took its place stays.
  async function remove(userId: string, dead: { refreshToken: string } | { accessToken: string }): Promise<void> {
    const row = await findTokenPair(db, userId);
    if (!row) return;
    if ("refreshToken" in dead) {
      const current = await decrypted(row.refreshTokenEncrypted, "refresh_token", userId);
      if (current === dead.refreshToken) await deleteTokenPair(db, row);
      return;
    }
    const current = await decrypted(row.accessTokenEncrypted, "access_token", userId);
    if (current === dead.accessToken) await endAccessToken(db, row);
  }

  const write = (userId: string, tokens: StoredTokens) => writeTokens(keyring, db, userId, tokens);
  return { read, write, remove, exclusively: (userId, work) => withRefreshLock(userId, work) };
}

/** Keeps a pair that the service just issued as the user's current one, in the caller's transaction. */
export function storeTokenPair(keyring: Keyring, db: Db, serviceUserId: string, pair: TokenPair): Promise<void> {
  return writeTokens(keyring, db, serviceUserId, storedTokensOf(pair));
}

async function writeTokens(
  keyring: Keyring,
  db: Db,
  serviceUserId: string,
  { accessToken, refreshToken, ...lifetimes }: StoredTokens,
): Promise<void> {
  await replaceTokenPair(db, {
    serviceUserId,
    accessTokenEncrypted: await encryptText(accessToken, contextOf("access_token", serviceUserId), keyring),
    refreshTokenEncrypted: await encryptText(refreshToken, contextOf("refresh_token", serviceUserId), keyring),
    ...lifetimes,
  });
}

type TokenColumn = "access_token" | "refresh_token";

function contextOf(column: TokenColumn, serviceUserId: string): string {
  return `token_pairs.${column}:${serviceUserId}`;
}

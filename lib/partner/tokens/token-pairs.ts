import { limits } from "../../contract/limits.ts";
import { decryptText, encryptText } from "../../kit/encryption.ts";
import { partnerConfig } from "../config.ts";
import type { TokenPair } from "../service-client/tokens.ts";
import { type Db, database } from "../storage/database.ts";
import {
  deleteTokenPair,
  endAccessToken,
  findTokenPair,
  replaceTokenPair,
  type TokenPairRow,
} from "../storage/token-pairs.ts";

// A token this close to its end is replaced before it is used, so that no request is on its way when it expires.
const earlySeconds = 60;

/** The current pair of a user, in plain text and only in memory. */
export type CurrentTokenPair = {
  accessToken: string;
  refreshToken: string;
  isAccessTokenFresh: boolean;
  isRefreshTokenLive: boolean;
  row: TokenPairRow;
};

/** The user's current pair as it is kept, encrypted; undefined when there is none, so that the user must authorize. */
export function findCurrentPair(serviceUserId: string): Promise<TokenPairRow | undefined> {
  return findTokenPair(database(), { serviceUserId, earlySeconds });
}

/** Reads and decrypts the user's current pair; undefined when there is none. */
export async function readTokenPair(serviceUserId: string): Promise<CurrentTokenPair | undefined> {
  const row = await findCurrentPair(serviceUserId);
  if (!row) return undefined;
  const { isAccessTokenFresh, isRefreshTokenLive } = row;
  const refreshTokenContext = contextOf("refresh_token", serviceUserId);
  const [accessToken, refreshToken] = await Promise.all([
    decryptAccessToken(row),
    decryptText(row.refreshTokenEncrypted, refreshTokenContext, partnerConfig().keyring),
  ]);
  return { accessToken, refreshToken, isAccessTokenFresh, isRefreshTokenLive, row };
}

/** The access token of a pair, in plain text: all that a call to the service needs. */
export function decryptAccessToken({ serviceUserId, accessTokenEncrypted }: TokenPairRow): Promise<string> {
  return decryptText(accessTokenEncrypted, contextOf("access_token", serviceUserId), partnerConfig().keyring);
}

/** Keeps a pair that the service just issued as the user's current one, encrypted for this very row. */
export async function storeTokenPair(db: Db, serviceUserId: string, pair: TokenPair): Promise<void> {
  const { keyring } = partnerConfig();
  await replaceTokenPair(db, {
    serviceUserId,
    accessTokenEncrypted: await encryptText(pair.access_token, contextOf("access_token", serviceUserId), keyring),
    refreshTokenEncrypted: await encryptText(pair.refresh_token, contextOf("refresh_token", serviceUserId), keyring),
    accessTokenSeconds: pair.expires_in,
    refreshTokenSeconds: limits.refreshTokenSeconds,
  });
}

/** Forgets exactly this pair; one that took its place meanwhile stays. */
export function forgetTokenPair({ row }: CurrentTokenPair): Promise<void> {
  return deleteTokenPair(database(), row);
}

/** Notes that the service turned this access token away, so that nobody sends it again; the refresh token may still be good. */
export async function noteAccessTokenEnded(serviceUserId: string, accessToken: string): Promise<void> {
  const pair = await readTokenPair(serviceUserId);
  if (pair?.accessToken === accessToken) await endAccessToken(database(), pair.row);
}

function contextOf(column: "access_token" | "refresh_token", serviceUserId: string): string {
  return `token_pairs.${column}:${serviceUserId}`;
}

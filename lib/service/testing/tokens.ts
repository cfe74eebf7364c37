import { createHash } from "node:crypto";
import { newId } from "../../kit/ids.ts";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import { authenticateAccessToken, type UserCaller } from "../operations/tokens/authenticate.ts";
import { exchangeAuthorizationCode, type IssuedTokenPair } from "../operations/tokens/grant-tokens.ts";
import { listNewestTokens } from "../sandbox/storage/issued-tokens.ts";
import { insertAuthorization } from "../storage/authorizations.ts";
import { database, inTransaction } from "../storage/database.ts";
import { type ClientKey, createTestClient, testRedirectUri } from "./clients.ts";
import { insertTestUser } from "./people.ts";

export const testVerifier = "a-verifier-of-43-characters-or-more-0123456789";
export const testTraceId = "ab".repeat(16);

/** A new authorization with its code. */
export async function insertTestCode(
  { clientId }: ClientKey,
  userId: string,
  { verifier = testVerifier }: { verifier?: string | null } = {},
): Promise<string> {
  const code = newSecret("gwc_");
  const codeChallenge = verifier === null ? null : createHash("sha256").update(verifier).digest("base64url");
  await inTransaction((tx) =>
    insertAuthorization(tx, {
      id: newId(),
      clientId,
      userId,
      codeHash: sha256(code),
      redirectUri: testRedirectUri,
      codeChallenge,
      traceId: testTraceId,
    }),
  );
  return code;
}

export async function issueTestTokens(client: ClientKey, userId: string): Promise<IssuedTokenPair> {
  const code = await insertTestCode(client, userId);
  const grant = await exchangeAuthorizationCode(
    { code, redirectUri: testRedirectUri, codeVerifier: testVerifier },
    { clientId: client.clientId },
  );
  if (grant.kind !== "granted") throw new Error("A new code must be exchangeable for a pair.");
  return grant;
}

/** The holder of a valid access token. */
export async function callerOf(accessToken: string): Promise<UserCaller> {
  const outcome = await authenticateAccessToken(accessToken);
  if (outcome.kind !== "valid") throw new Error(`The access token is ${outcome.kind}.`);
  return outcome.caller;
}

/** A user of a new client, with a token pair. */
export async function tokensOfNewUser() {
  const client = await createTestClient();
  const { userId } = await insertTestUser(client);
  return { client, clientId: client.clientId, userId, ...(await issueTestTokens(client, userId)) };
}

/** The number of live tokens of a kind. */
export async function countLive(clientId: string, kind: "access_token" | "refresh_token"): Promise<number> {
  const tokens = await listNewestTokens(database(), { clientId, limit: 100 });
  return tokens.filter((token) => token.kind === kind && token.state === "live").length;
}

import { listNewestTokens } from "../sandbox/storage/issued-tokens.ts";
import { database } from "../storage/database.ts";
import { createTestClient } from "./clients.ts";
import { insertTestUser } from "./people.ts";
import { issueTestTokens } from "./tokens.ts";

/** A user of a client of their own, with a pair of tokens. */
export async function tokensOfSomebody() {
  const client = await createTestClient();
  const { userId } = await insertTestUser(client);
  return { clientId: client.clientId, userId, ...(await issueTestTokens(client, userId)) };
}

/** How many tokens of a kind of this client can be used now. */
export async function countLive(clientId: string, kind: "access_token" | "refresh_token"): Promise<number> {
  const tokens = await listNewestTokens(database(), { clientId, limit: 100 });
  return tokens.filter((token) => token.kind === kind && token.state === "live").length;
}

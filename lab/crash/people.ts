import { basicCredentials } from "../../lib/kit/basic-credentials.ts";
import { changeWebhookUrl } from "../../lib/service/sandbox/clients.ts";
import { fundAccount, insertAccount, listAccounts } from "../../lib/service/storage/accounts.ts";
import { database, inTransaction } from "../../lib/service/storage/database.ts";
import { createTestClient, type TestClient } from "../../lib/service/testing/clients.ts";
import { insertTestSeller } from "../../lib/service/testing/routines.ts";
import { issueTestTokens } from "../../lib/service/testing/tokens.ts";

export type RunClient = {
  client: TestClient;
  /** The Authorization header of client-level requests. */
  basic: string;
  businessToken: string;
  /** One operating account, or several. */
  sourceIds: [string, ...string[]];
  walletIds: [string, ...string[]];
  /** Sellers whose pairs are refreshed, each by one actor. */
  sellers: { userId: string; refreshToken: string }[];
};

const fundsCents = 10_000_000_00;

export async function createRunClient({
  webhookUrl,
  sourceCount,
  sellerCount,
}: {
  webhookUrl: string;
  sourceCount: number;
  sellerCount: number;
}): Promise<RunClient> {
  const client = await createTestClient();
  await changeWebhookUrl(client.clientId, webhookUrl);
  const { accessToken: businessToken } = await issueTestTokens(client, client.businessUserId);
  const sourceIds = (await listAccounts(database(), client.businessUserId)).map(({ id }) => id);
  const operating = {
    clientId: client.clientId,
    userId: client.businessUserId,
    name: "Operating",
    type: "operating" as const,
  };
  while (sourceIds.length < sourceCount) {
    sourceIds.push((await insertAccount(database(), { ...operating, mask: "3000" })).id);
  }
  for (const accountId of sourceIds)
    await inTransaction((tx) => fundAccount(tx, { accountId, amountCents: fundsCents }));

  const sellers: RunClient["sellers"] = [];
  const walletIds: string[] = [];
  for (let index = 0; index < sellerCount; index++) {
    const { userId, walletId } = await insertTestSeller(client);
    walletIds.push(walletId);
    sellers.push({ userId, refreshToken: (await issueTestTokens(client, userId)).refreshToken });
  }
  return {
    client,
    basic: basicCredentials(client.clientId, client.clientSecret),
    businessToken,
    sourceIds: atLeastOne(sourceIds),
    walletIds: atLeastOne(walletIds),
    sellers,
  };
}

function atLeastOne(ids: string[]): [string, ...string[]] {
  const [first, ...rest] = ids;
  if (first === undefined) throw new Error("A client of a run needs an account.");
  return [first, ...rest];
}

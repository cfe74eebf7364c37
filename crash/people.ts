import { changeWebhookUrl } from "../lib/service/sandbox/change-client.ts";
import { createSandboxClient } from "../lib/service/sandbox/create-client.ts";
import { insertAccount, listAccounts } from "../lib/service/storage/accounts.ts";
import { database, inTransaction } from "../lib/service/storage/database.ts";
import { fundAccount } from "../lib/service/storage/ledger.ts";
import type { TestClient } from "../lib/service/testing/authorization-pages.ts";
import { basicCredentials } from "../lib/service/testing/fresh-client.ts";
import { insertTestSeller, issueTestTokens, testRedirectUri } from "../lib/service/testing/money.ts";

/** A client of a run, with the access token of its business user and the accounts between which money goes. */
export type RunClient = {
  client: TestClient;
  /** The Authorization header of client-level requests. */
  basic: string;
  businessToken: string;
  /** One operating account, or several. */
  sourceIds: [string, ...string[]];
  walletIds: [string, ...string[]];
  /** Sellers whose token pairs are renewed: each by one actor alone. */
  sellers: { userId: string; refreshToken: string }[];
};

const fundsCents = 10_000_000_00;

/** Makes a client whose webhooks go to `webhookUrl`, with as many funded operating accounts and sellers. */
export async function createRunClient({
  webhookUrl,
  sourceCount,
  sellerCount,
}: {
  webhookUrl: string;
  sourceCount: number;
  sellerCount: number;
}): Promise<RunClient> {
  const made = await createSandboxClient();
  const client: TestClient = { id: made.clientId, clientSecret: made.clientSecret, redirectUri: testRedirectUri };
  await changeWebhookUrl(client.id, webhookUrl);
  const { accessToken: businessToken } = await issueTestTokens(client, made.businessUserId);
  const sourceIds = (await listAccounts(database(), made.businessUserId)).map(({ id }) => id);
  const operating = { clientId: client.id, userId: made.businessUserId, name: "Operating", type: "operating" as const };
  while (sourceIds.length < sourceCount) {
    sourceIds.push((await insertAccount(database(), { ...operating, mask: "3000" })).id);
  }
  for (const accountId of sourceIds)
    await inTransaction((tx) => fundAccount(tx, { accountId, amountCents: fundsCents }));

  const sellers: RunClient["sellers"] = [];
  const walletIds: string[] = [];
  for (let place = 0; place < sellerCount; place++) {
    const { userId, walletId } = await insertTestSeller(client);
    walletIds.push(walletId);
    sellers.push({ userId, refreshToken: (await issueTestTokens(client, userId)).refreshToken });
  }
  return {
    client,
    basic: basicCredentials(client.id, client.clientSecret),
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

import { basicCredentials } from "../../../lib/kit/basic-credentials.ts";
import { changeWebhookUrl } from "../../../lib/service/sandbox/clients.ts";
import { fundAccount, insertAccount, listAccounts } from "../../../lib/service/storage/accounts.ts";
import { database, inTransaction } from "../../../lib/service/storage/database.ts";
import { createTestClient } from "../../../lib/service/testing/clients.ts";
import { insertTestSeller } from "../../../lib/service/testing/routines.ts";
import { issueTestTokens } from "../../../lib/service/testing/tokens.ts";

export type BenchClient = {
  clientId: string;
  basic: string;
  businessUserId: string;
  businessToken: string;
  /** The business's operating accounts, with more money than any run moves. */
  sourceIds: string[];
  sellers: { userId: string; walletId: string; accessToken: string; refreshToken: string }[];
};

const fundsCents = 1_000_000_000_00;

/** Creates a client with the service's code. Without `webhookUrl`, webhooks wait for an endpoint. */
export async function createBenchClient({
  sources,
  sellers,
  webhookUrl,
}: {
  sources: number;
  sellers: number;
  webhookUrl?: string;
}): Promise<BenchClient> {
  const client = await createTestClient();
  const { clientId, businessUserId } = client;
  if (webhookUrl) await changeWebhookUrl(clientId, webhookUrl);
  const operating = { clientId, userId: businessUserId, name: "Operating", type: "operating" as const, mask: "3000" };
  const sourceIds = (await listAccounts(database(), businessUserId)).map(({ id }) => id);
  while (sourceIds.length < sources) sourceIds.push((await insertAccount(database(), operating)).id);
  for (const accountId of sourceIds)
    await inTransaction((tx) => fundAccount(tx, { accountId, amountCents: fundsCents }));
  const created = await inParallel(sellers, async () => {
    const seller = await insertTestSeller(client);
    return { ...seller, ...(await issueTestTokens(client, seller.userId)) };
  });
  return {
    clientId,
    basic: basicCredentials(clientId, client.clientSecret),
    businessUserId,
    businessToken: (await issueTestTokens(client, businessUserId)).accessToken,
    sourceIds,
    sellers: created,
  };
}

// Limited by the connection pool.
async function inParallel<Item>(count: number, make: () => Promise<Item>): Promise<Item[]> {
  const created: Item[] = [];
  let left = count;
  const work = async () => {
    while (left-- > 0) created.push(await make());
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return created;
}

import { listAccounts } from "../storage/accounts.ts";
import { database } from "../storage/database.ts";
import { createTestClient, type TestClient } from "./clients.ts";
import { insertTestSeller } from "./payouts.ts";
import { issueTestTokens } from "./tokens.ts";

/** A client whose business can pay a seller, with the access token of each. */
export type ClientWithSeller = TestClient & {
  businessToken: string;
  /** The business's account, which holds 25,000.00. */
  operatingId: string;
  sellerId: string;
  sellerToken: string;
  /** The seller's account, which is empty. */
  walletId: string;
};

/** All that a test of payments over the API needs: a client, its funded business user, a seller, and their tokens. */
export async function createClientWithSeller(): Promise<ClientWithSeller> {
  const client = await createTestClient();
  const business = await issueTestTokens(client, client.businessUserId);
  const [operating] = await listAccounts(database(), client.businessUserId);
  const seller = await insertTestSeller(client);
  const { accessToken: sellerToken } = await issueTestTokens(client, seller.userId);
  return {
    ...client,
    businessToken: business.accessToken,
    operatingId: operating?.id ?? "",
    sellerId: seller.userId,
    sellerToken,
    walletId: seller.walletId,
  };
}

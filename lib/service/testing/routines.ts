import { and, eq } from "drizzle-orm";
import { serviceConfig } from "../config.ts";
import { fingerprintOf } from "../domain/idempotency.ts";
import {
  type BookingOutcome,
  type BookRequest,
  type BookRoutineOrder,
  createBookRoutine,
  newBookRequest,
  voidBookRoutine,
} from "../operations/money/create-book-routine.ts";
import type { UserCaller } from "../operations/tokens/authenticate.ts";
import type { IssuedTokenPair } from "../operations/tokens/grant-tokens.ts";
import { fundAccount, insertAccount, listAccounts } from "../storage/accounts.ts";
import { type Db, database, inTransaction, type RowOfClient } from "../storage/database.ts";
import { accounts, transfers } from "../storage/schema.ts";
import { type ClientKey, createTestClient, type TestClient } from "./clients.ts";
import { insertTestUser } from "./people.ts";
import { callerOf, issueTestTokens, testTraceId } from "./tokens.ts";

export type TestBusiness = { userId: string; caller: UserCaller; tokens: IssuedTokenPair; accountIds: string[] };

/** A client's business user, with a funded operating account per balance. */
export async function fundTestBusiness(
  client: Pick<TestClient, "clientId" | "businessUserId">,
  balancesCents: number[],
): Promise<TestBusiness> {
  const { clientId, businessUserId: userId } = client;
  const accountIds = await inTransaction(async (tx) => {
    const ids: string[] = [];
    for (const amountCents of balancesCents) {
      const operating = { clientId, userId, name: "Operating", type: "operating" as const, mask: "1000" };
      const { id } = await insertAccount(tx, operating);
      if (amountCents > 0) await fundAccount(tx, { accountId: id, amountCents });
      ids.push(id);
    }
    return ids;
  });
  const tokens = await issueTestTokens(client, userId);
  return { userId, tokens, accountIds, caller: await callerOf(tokens.accessToken) };
}

/** A personal user with an empty wallet. */
export async function insertTestSeller(client: ClientKey): Promise<{ userId: string; walletId: string }> {
  const { userId } = await insertTestUser(client);
  const wallet = { clientId: client.clientId, userId, name: "Wallet", type: "wallet" as const, mask: "2000" };
  return { userId, walletId: (await insertAccount(database(), wallet)).id };
}

/** Without an idempotency key by default. */
export type TestOrder = {
  sourceId: string;
  destinationId: string;
  amountCents: number;
  idempotencyKey?: string | undefined;
  name?: string;
};

/** Books as the endpoint does. */
export function bookTestRoutine({ caller }: Pick<TestBusiness, "caller">, order: TestOrder) {
  return createBookRoutine(orderOf(caller, order), caller);
}

/** Voids the key of a booking as the endpoint does. */
export function voidTestKey({ caller }: Pick<TestBusiness, "caller">, key: string) {
  return voidBookRoutine(key, caller);
}

/** The booking request of an order, for tests of sets. */
export function testBookRequest({ caller }: Pick<TestBusiness, "caller">, order: TestOrder): BookRequest {
  return newBookRequest(orderOf(caller, order), caller);
}

function orderOf(caller: UserCaller, order: TestOrder): BookRoutineOrder {
  const { idempotencyKey: key, ...rest } = order;
  const operation = "createBookRoutine";
  const scope = { clientId: caller.clientId, userScope: caller.user.id, operation };
  const fingerprint = fingerprintOf(serviceConfig().fingerprintKey, operation, rest);
  const idempotency = key === undefined ? undefined : { ...scope, key, fingerprint };
  return { name: "Payout", traceId: testTraceId, ...rest, idempotency };
}

/** The transfer of a routine that was created. */
export function transferIdOf(outcome: BookingOutcome): string {
  if (outcome.kind !== "created") throw new Error(`Expected a created routine, got ${outcome.kind}.`);
  return outcome.routine.transferId;
}

/** Counts this client's transfers with a status. */
export async function countTransfers(client: ClientKey, status: "pending" | "processed" | "failed" | "cancelled") {
  return database().$count(transfers, and(eq(transfers.clientId, client.clientId), eq(transfers.status, status)));
}

/** A client whose business can pay a seller, with both access tokens. */
export type ClientWithSeller = TestClient & {
  businessToken: string;
  /** Holds 25,000.00. */
  operatingId: string;
  sellerId: string;
  sellerToken: string;
  /** Empty. */
  walletId: string;
};

/** A client, its funded business user, a seller, and their tokens. */
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

/** Closes an account for good. Its pending incoming transfers will fail. */
export async function closeAccount(db: Db, { id, clientId }: RowOfClient): Promise<void> {
  await db
    .update(accounts)
    .set({ status: "closed" })
    .where(and(eq(accounts.id, id), eq(accounts.clientId, clientId)));
}

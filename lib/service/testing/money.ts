import { createHash } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { newId } from "../../kit/ids.ts";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import { fingerprintOf } from "../operations/idempotency.ts";
import { type BookingOutcome, createBookRoutine } from "../operations/money/create-book-routine.ts";
import { authenticateAccessToken, type UserCaller } from "../operations/tokens/authenticate-access-token.ts";
import { exchangeAuthorizationCode } from "../operations/tokens/exchange-authorization-code.ts";
import type { IssuedTokenPair } from "../operations/tokens/token-grant.ts";
import { insertAccount, listAccounts } from "../storage/accounts.ts";
import { insertAuthorization } from "../storage/authorization-codes.ts";
import { findClient } from "../storage/clients.ts";
import { database, inTransaction, servicePool } from "../storage/database.ts";
import { fundAccount } from "../storage/ledger.ts";
import { transfers } from "../storage/schema.ts";
import { insertUser } from "../storage/users.ts";
import { insertTestUser, type TestClient } from "./authorization-pages.ts";
import { freshClient } from "./fresh-client.ts";

export const testRedirectUri = "https://partner.example/callback?from=plainbook";
export const testVerifier = "a-verifier-of-43-characters-or-more-0123456789";
export const testTraceId = "ab".repeat(16);

/** An authorization that somebody has just given: the code as it arrives at the redirect_uri. */
export async function insertTestCode(
  { id: clientId }: TestClient,
  userId: string,
  { verifier = testVerifier }: { verifier?: string | null } = {},
): Promise<string> {
  const code = newSecret("gwc_");
  const codeChallenge = verifier === null ? null : createHash("sha256").update(verifier).digest("base64url");
  await inTransaction((tx) =>
    insertAuthorization(tx, {
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

/** A token pair of this user, issued the way every pair is. */
export async function issueTestTokens(client: TestClient, userId: string): Promise<IssuedTokenPair> {
  const code = await insertTestCode(client, userId);
  const grant = await exchangeAuthorizationCode(
    { code, redirectUri: testRedirectUri, codeVerifier: testVerifier },
    { clientId: client.id },
  );
  if (grant.kind !== "granted") throw new Error("A fresh code must be good for a pair.");
  return grant;
}

/** Who holds an access token that must be valid. */
export async function callerOf(accessToken: string): Promise<UserCaller> {
  const outcome = await authenticateAccessToken(accessToken);
  if (outcome.kind !== "valid") throw new Error(`The access token is ${outcome.kind}.`);
  return outcome.caller;
}

export type TestBusiness = { userId: string; caller: UserCaller; tokens: IssuedTokenPair; accountIds: string[] };

/** The business user of a client, with as many operating accounts as there are balances, each funded. */
export async function insertTestBusiness(client: TestClient, balancesCents: number[]): Promise<TestBusiness> {
  const row = await findClient(database(), client.id);
  if (!row) throw new Error("The client must exist.");
  const userId = newId();
  const accountIds = await inTransaction(async (tx) => {
    await insertUser(tx, {
      id: userId,
      clientId: client.id,
      userType: "business",
      status: "approved",
      firstName: "Harbor",
      lastName: "Inc.",
      email: "pay@harbor.example",
      phone: "+12025550100",
      businessProfileId: row.businessProfileId,
    });
    const ids: string[] = [];
    for (const amountCents of balancesCents) {
      const operating = { clientId: client.id, userId, name: "Operating", type: "operating" as const, mask: "1000" };
      const { id } = await insertAccount(tx, operating);
      if (amountCents > 0) await fundAccount(tx, { accountId: id, amountCents });
      ids.push(id);
    }
    return ids;
  });
  const tokens = await issueTestTokens(client, userId);
  return { userId, tokens, accountIds, caller: await callerOf(tokens.accessToken) };
}

/** Everything a gateway test about money needs: a fresh client with its funded business user, a seller, and their tokens. */
export async function createFixture() {
  const fresh = await freshClient();
  const client: TestClient = { id: fresh.clientId, clientSecret: fresh.clientSecret, redirectUri: testRedirectUri };
  const business = await issueTestTokens(client, fresh.businessUserId);
  const [operating] = await listAccounts(database(), fresh.businessUserId);
  const seller = await insertTestSeller(client);
  const { accessToken: sellerToken } = await issueTestTokens(client, seller.userId);
  return {
    ...fresh,
    client,
    businessToken: business.accessToken,
    operatingId: operating?.id ?? "",
    sellerId: seller.userId,
    sellerToken,
    walletId: seller.walletId,
  };
}

/** A personal user with an empty wallet. */
export async function insertTestSeller(client: TestClient): Promise<{ userId: string; walletId: string }> {
  const { userId } = await insertTestUser(client);
  const wallet = { clientId: client.id, userId, name: "Wallet", type: "wallet" as const, mask: "2000" };
  return { userId, walletId: (await insertAccount(database(), wallet)).id };
}

/** Asks for a routine the way the endpoint does. */
export function bookTestRoutine(
  { caller }: Pick<TestBusiness, "caller">,
  order: { sourceId: string; destinationId: string; amountCents: number; idempotencyKey?: string; name?: string },
) {
  const { idempotencyKey: key, ...rest } = order;
  const operation = "createBookRoutine";
  const scope = { clientId: caller.clientId, userScope: caller.user.id, operation };
  const idempotency = key === undefined ? undefined : { ...scope, key, fingerprint: fingerprintOf(operation, rest) };
  return createBookRoutine({ name: "Payout", traceId: testTraceId, ...rest, idempotency }, caller);
}

/** The id of the transfer of a routine that must have been created. */
export function transferIdOf(outcome: BookingOutcome): string {
  if (outcome.kind !== "created") throw new Error(`A routine was expected, and not ${outcome.kind}.`);
  return outcome.routine.transferId;
}

/** How many transfers of this client stand in a status. */
export async function countTransfers(client: TestClient, status: "pending" | "processed" | "failed" | "cancelled") {
  return database().$count(transfers, and(eq(transfers.clientId, client.id), eq(transfers.status, status)));
}

/** Every broken promise of the ledger (Trust 14), each as a sentence; of a sound one, none. Looks at all clients. */
export async function findLedgerProblems(): Promise<string[]> {
  const { rows } = await servicePool().query<{ problem: string }>(`
    select 'posting ' || posting_id || ' does not sum to zero' as problem
    from entries group by posting_id having sum(amount_cents) <> 0
    union all
    select 'account ' || a.id || ' does not equal its entries' from accounts a
    where a.balance_cents <> coalesce((select sum(e.amount_cents) from entries e where e.account_id = a.id), 0)
    union all
    select 'account ' || a.id || ' does not equal its holds' from accounts a
    where a.held_cents <> coalesce((select sum(h.amount_cents) from holds h where h.account_id = a.id), 0)
    union all
    select 'account ' || id || ' is overdrawn' from accounts where type <> 'funding' and balance_cents < held_cents
    union all
    select 'transfer ' || t.id || ' is ' || t.status || ' with a wrong hold' from transfers t
    left join holds h on h.transfer_id = t.id
    where (t.status = 'pending') <> (h.transfer_id is not null)
      or h.amount_cents <> t.amount_cents or h.account_id <> t.source_id
    union all
    select 'transfer ' || t.id || ' is ' || t.status || ' with wrong entries' from transfers t
    where (select count(*) from entries e where e.transfer_id = t.id) <> case t.status when 'processed' then 2 else 0 end
      or exists (select from entries e where e.transfer_id = t.id and (e.account_id, e.amount_cents)
        not in ((t.source_id, -t.amount_cents), (t.destination_id, t.amount_cents)))
    union all
    select 'routine ' || r.id || ' does not follow its transfer' from routines r
    left join transfers t on t.routine_id = r.id
    where t.id is null or r.status <> case t.status when 'pending' then 'active' when 'processed' then 'completed'
      else t.status end`);
  return rows.map(({ problem }) => problem);
}

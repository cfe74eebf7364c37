import { beforeAll, expect, test } from "vitest";
import { servicePool } from "../storage/database.ts";
import { type ClientWithSeller, createClientWithSeller } from "../testing/routines.ts";
import { issueTestTokens } from "../testing/tokens.ts";
import { type RunStatement, watchPlans } from "../testing/watch-plans.ts";
import { authenticateAccessToken } from "./tokens/authenticate.ts";
import { refreshTokens } from "./tokens/grant-tokens.ts";

// A new or restored database, without statistics. A table of a few clients may never have any.
const tables = ["clients", "users", "authorizations", "access_tokens", "refresh_tokens"];
const tokens = 3000;
const atOnce = 30;
// For one set; an index scan of a client's tokens would read more.
const rowsMax = 300;

let statementsOf: (work: () => Promise<unknown>) => Promise<RunStatement[]>;
let client: ClientWithSeller;

beforeAll(async () => {
  statementsOf = await watchPlans();
  await Promise.all(
    tables.map((table) => servicePool().query(`alter table ${table} set (autovacuum_enabled = false)`)),
  );
  client = await createClientWithSeller();
  for (const [table, more] of [["access_tokens", ", superseded_at"] as const, ["refresh_tokens", ""] as const]) {
    await servicePool().query(
      `insert into ${table} (token_hash, authorization_id, client_id, user_id, expires_at, created_at${more})
       select sha256(convert_to('one of many ' || n, 'UTF8')), authorization_id, client_id, user_id, expires_at, created_at
         ${more && ", created_at"}
       from generate_series(1, ${tokens}) n, (select * from ${table} where client_id = $1 limit 1) one`,
      [client.clientId],
    );
  }
});

test("PostgreSQL has no statistics", async () => {
  const { rows } = await servicePool().query(
    "select relname from pg_class where relname = any ($1) and reltuples >= 0",
    [tables],
  );
  expect(rows).toEqual([]);
});

test("bearer lookup and refresh read only their own rows", async () => {
  const { clientId, sellerId } = client;
  const { accessToken, refreshToken } = await issueTestTokens(client, sellerId);
  await looksAtItsOwn(() => authenticateAccessToken(accessToken));
  await looksAtItsOwn(() => refreshTokens(refreshToken, { clientId }));
  // PostgreSQL makes a generic plan after five executions on a connection.
  for (let set = 0; set < 10; set += 1) {
    const many = Array.from({ length: atOnce }, (_, index) => `one of many ${set * atOnce + index + 1}`);
    await looksAtItsOwn(async () => {
      const outcomes = await Promise.all(many.map((token) => refreshTokens(token, { clientId })));
      expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["granted"]));
    });
  }
});

async function looksAtItsOwn(work: () => Promise<unknown>): Promise<void> {
  const statements = await statementsOf(work);
  expect(statements.length).toBeGreaterThan(0);
  expect.soft(statements.filter(({ rowsExamined }) => rowsExamined > rowsMax)).toEqual([]);
}

import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import {
  beginRead,
  claimSellersToRefresh,
  connectServiceUser,
  findServiceUser,
  listPayableSellers,
  storeUserSnapshot,
} from "../storage/service-users.ts";
import { connectBusiness, connectSeller } from "../testing/connected-users.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { accountRecordOf, userRecordOf } from "../testing/records.ts";
import {
  readConnectedBusiness,
  readConnectedUser,
  readConnection,
  refreshMissingAccounts,
  refreshSellers,
  submitBusinessDisconnect,
  submitSellerDisconnect,
} from "./connected-users.ts";

let service: FakeService;
let id: string;

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  ({ id } = await connectSeller({ status: "approved" }));
  service.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf({ id }) }));
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 0, accounts: [] } }));
  service.answer("GET /v1/transfers", () => ({ status: 200, body: { transfers: [], next: null } }));
});

// Data that couldn't be read is distinguished from data that doesn't exist.
test.each([
  ["refuses", true, () => refused(503, "unavailable")],
  ["has no such list", false, () => ({ status: 404 })],
  ["answers what cannot be understood", false, () => ({ status: 200, body: { accounts: "many" } })],
  ["cuts the connection", true, () => "cut" as const],
])("accounts and payouts are unknown, and not none, when the service %s", async (_what, mayLoad, answer) => {
  service.answer("GET /v1/accounts", answer);
  service.answer("GET /v1/transfers", answer);
  expect(await readConnectedUser(partner(), id)).toMatchObject({
    kind: "ok",
    accounts: undefined,
    transfers: undefined,
    mayLoad,
  });
});

test("accounts and payouts are none when the service says so", async () => {
  expect(await readConnectedUser(partner(), id)).toMatchObject({
    kind: "ok",
    accounts: { items: [], isWhole: true },
    transfers: [],
    mayLoad: false,
  });
});

test("an account that couldn't be read at connection is stored later, and never replaced", async () => {
  expect(await findServiceUser(partner().db, id)).toMatchObject({ accountId: null });
  const [closed, wallet, later] = [accountRecordOf({ status: "closed" }), accountRecordOf(), accountRecordOf()];
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 2, accounts: [closed, wallet] } }));
  await readConnectedUser(partner(), id);
  expect(await findServiceUser(partner().db, id)).toMatchObject({ accountId: wallet.id });
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 2, accounts: [later, wallet] } }));
  await readConnectedUser(partner(), id);
  expect(await findServiceUser(partner().db, id)).toMatchObject({ accountId: wallet.id });
  const closedNow = { ...wallet, status: "closed" };
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 2, accounts: [closedNow, later] } }));
  await readConnectedUser(partner(), id);
  expect(await findServiceUser(partner().db, id)).toMatchObject({ accountId: later.id });
});

// Status and account each keep the value of their own newest read.
test.each([
  ["status and account", { status: "suspended", isAccountRead: true }],
  ["status", { status: "suspended", isAccountRead: false }],
  ["account", { status: undefined, isAccountRead: true }],
])("a newer read isn't overwritten by an older one that finishes later: %s", async (_what, it) => {
  const [earlier, later] = [accountRecordOf(), accountRecordOf()];
  service.answer("GET /v1/user", async () => {
    const snapshot = {
      ...(it.status && { status: it.status }),
      ...(it.isAccountRead && { usableAccountIds: [later.id] }),
    };
    await storeUserSnapshot(partner().db, id, snapshot, await beginRead(partner().db));
    return { status: 200, body: userRecordOf({ id, status: "monitored" }) };
  });
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 1, accounts: [earlier] } }));
  await readConnectedUser(partner(), id);
  const accountId = it.isAccountRead ? later.id : earlier.id;
  expect(await findServiceUser(partner().db, id)).toMatchObject({ status: it.status ?? "monitored", accountId });
});

// A stored change survives a database crash.
test("only a read without news doesn't wait for the disk", async () => {
  const [wallet, otherAccount] = [accountRecordOf().id, accountRecordOf().id];
  const waits = async (snapshot: { status?: string; usableAccountIds?: string[] }) => {
    const read = await beginRead(partner().db);
    return partner().db.transaction(async (tx) => {
      await tx.execute(sql`set local synchronous_commit = on`);
      await storeUserSnapshot(tx, id, snapshot, read);
      const { rows } = await tx.execute(sql`select current_setting('synchronous_commit') <> 'off' as waits`);
      return rows[0]?.["waits"];
    });
  };
  expect(await waits({ status: "approved", usableAccountIds: [wallet] })).toBe(true);
  expect(await waits({ status: "approved", usableAccountIds: [wallet] })).toBe(false);
  expect(await waits({ status: "approved", usableAccountIds: [otherAccount, wallet] })).toBe(false);
  expect(await waits({ status: "suspended", usableAccountIds: [wallet] })).toBe(true);
  expect(await waits({ usableAccountIds: [otherAccount] })).toBe(true);
  expect(await waits({ status: "suspended" })).toBe(false);
});

test.each([
  ["refuses", { status: 500 }, true],
  ["answers what cannot be understood", { status: 200, body: {} }, true],
  ["does not answer", "cut" as const, false],
])("says whether the service answered at all when it %s", async (_what, answer, isAnswered) => {
  service.answer("GET /v1/user", () => answer);
  expect(await readConnectedUser(partner(), id)).toEqual({ kind: "unavailable", isAnswered });
});

test.each([undefined, "open", "OPEN", "enabled", "active"])(
  "an account whose status is %j can be paid",
  async (status) => {
    const wallet = accountRecordOf();
    service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [{ ...wallet, status }] } }));
    await readConnectedUser(partner(), id);
    expect((await listPayableSellers(partner().db)).map((seller) => seller.id)).toContain(id);
  },
);

test.each(["closed", "Closed", "frozen", "disabled"])("an account whose status is %j can't be paid", async (status) => {
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [{ ...accountRecordOf(), status }] } }));
  await readConnectedUser(partner(), id);
  expect(await findServiceUser(partner().db, id)).toMatchObject({ accountId: null });
});

test.each([
  ["monitored", true],
  ["Active", true],
  ["approved", true],
  ["suspended", false],
  ["SUSPENDED", false],
  ["rejected", false],
  ["pending", false],
])("a seller whose status is %j can be paid: %s", async (status, isPayable) => {
  service.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf({ id, status: status as "approved" }) }));
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [accountRecordOf()] } }));
  await readConnectedUser(partner(), id);
  expect((await listPayableSellers(partner().db)).some((seller) => seller.id === id)).toBe(isPayable);
});

test("an account that the callback couldn't read is read again before sellers are offered", async () => {
  const wallet = accountRecordOf();
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [wallet] } }));
  await refreshMissingAccounts(partner());
  expect(await findServiceUser(partner().db, id)).toMatchObject({ accountId: wallet.id });
});

test("rereads accounts only of the twenty newest payable sellers without one", async () => {
  await partner().pool.query("delete from token_pairs");
  await partner().pool.query("delete from service_users");
  const suspended = await connectSeller({ status: "suspended" });
  const connected: string[] = [];
  for (let at = 0; at < 22; at++) connected.push((await connectSeller({ status: "approved" })).id);
  const [paid = ""] = connected.splice(-1);
  await storeUserSnapshot(partner().db, paid, { usableAccountIds: ["known"] }, await beginRead(partner().db));
  await partner().pool.query(
    "update service_users set connected_at = connected_at + array_position($1, id) * interval '1 second' where id = any ($1)",
    [connected],
  );
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [accountRecordOf()] } }));
  await refreshMissingAccounts(partner());
  const { rows } = await partner().pool.query("select id from service_users where account_id is null");
  expect(rows.map((row) => row.id).sort()).toEqual([suspended.id, connected[0]].sort());
  expect(await findServiceUser(partner().db, paid)).toMatchObject({ accountId: "known" });
});

test("sellers whose accounts can't be read don't keep later ones from being read", async () => {
  await partner().pool.query("delete from token_pairs");
  await partner().pool.query("delete from service_users");
  for (let at = 0; at < 22; at++) await connectSeller({ status: "approved" });
  service.answer("GET /v1/accounts", () => refused(503, "unavailable"));
  service.requests.length = 0;
  for (const _form of [1, 2]) {
    await refreshSellers(partner());
    await refreshMissingAccounts(partner());
  }
  const tokens = service.requestsOf("GET /v1/accounts").map(({ headers }) => headers.authorization);
  expect(new Set(tokens).size).toBe(22);
});

test.each([
  ["shows none", true, () => ({ status: 200, body: { accounts: [] } })],
  ["shows some that can't be read", false, () => ({ status: 200, body: { accounts: [{}] } })],
  ["refuses", false, () => refused(503, "unavailable")],
  ["cuts the connection", false, () => "cut" as const],
])("says whether all sellers' accounts were read: the service %s", async (_what, areAllRead, answer) => {
  await partner().pool.query("delete from token_pairs");
  await partner().pool.query("delete from service_users");
  await connectSeller({ status: "approved" });
  service.answer("GET /v1/accounts", answer);
  expect(await refreshMissingAccounts(partner())).toEqual({ areAllRead });
  await partner().pool.query("delete from token_pairs");
  expect(await refreshMissingAccounts(partner()), "no longer connected").toEqual({ areAllRead: true });
  for (let at = 0; at < 21; at++) await connectSeller({ status: "approved" });
  expect(await refreshMissingAccounts(partner()), "more than are read at once").toEqual({ areAllRead: false });
});

test("a slow answer about a seller's accounts holds up no form, and still counts when it arrives", async () => {
  const wallet = accountRecordOf();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  service.answer("GET /v1/accounts", async () => {
    await answered;
    return { status: 200, body: { accounts: [wallet] } };
  });
  expect(await refreshMissingAccounts(partner())).toEqual({ areAllRead: false });
  answer();
  await expect.poll(() => findServiceUser(partner().db, id)).toMatchObject({ accountId: wallet.id });
});

test("a seller whose stored tokens are damaged keeps no other seller's account from being read", async () => {
  const damaged = await connectSeller({ status: "approved" });
  await partner().pool.query("update token_pairs set access_token_encrypted = 'damaged' where service_user_id = $1", [
    damaged.id,
  ]);
  const wallet = accountRecordOf();
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [wallet] } }));
  expect(await refreshMissingAccounts(partner())).toEqual({ areAllRead: false });
  expect(await findServiceUser(partner().db, id)).toMatchObject({ accountId: wallet.id });
});

test("rereads the twenty sellers with the oldest status, even those without an account", async () => {
  await partner().pool.query("delete from token_pairs");
  await partner().pool.query("delete from service_users");
  const withAccount = async () => {
    const seller = await connectSeller({ status: "approved" });
    await storeUserSnapshot(partner().db, seller.id, { usableAccountIds: [newId()] }, await beginRead(partner().db));
    return seller.id;
  };
  const { id: withoutAccount } = await connectSeller({ status: "pending" });
  const ids: string[] = [];
  for (let at = 0; at < 23; at++) ids.push(await withAccount());
  const [neverRead = "", ...readBefore] = ids;
  await partner().pool.query(
    "update service_users set asked_real_at = now() - array_position($1, id) * interval '50 seconds' where id = any ($1)",
    [readBefore],
  );
  const claim = () => claimSellersToRefresh(partner().db, { limit: 20, seconds: 60 });
  const claimed = await Promise.all([claim(), claim()]);
  // Only the first one was read less than a minute ago.
  expect(new Set(claimed.map(({ length }) => length))).toEqual(new Set([20, 3]));
  expect(claimed.flat().sort()).toEqual([withoutAccount, neverRead, ...readBefore.slice(1)].sort());
  await partner().pool.query(
    "update service_users set asked_real_at = now() - array_position($1, id) * interval '70 seconds' where id = any ($1)",
    [readBefore],
  );
  await partner().pool.query("update service_users set asked_real_at = null where id = $1", [neverRead]);
  expect((await claim()).sort()).toEqual([neverRead, ...readBefore.slice(3)].sort());
  expect(await claimSellersToRefresh(partner().db, { limit: 20, seconds: 60 })).toHaveLength(3);
});

test("a connection ends when its refresh token expires by Harbor's clock", async () => {
  const setLeft = (left: string) =>
    partner().db.execute(sql`update token_pairs set access_token_expires_at = harbor_now() - interval '1 hour',
      refresh_token_expires_at = harbor_now() + ${left}::interval where service_user_id = ${id}`);
  await setLeft("1 minute");
  const connection = await readConnection(partner(), id);
  if (connection.kind !== "connected") throw new Error("It is connected.");
  const times = [connection.accessTokenExpiresAt, connection.issuedAt, connection.refreshTokenExpiresAt];
  expect(times.toSorted()).toEqual(times);
  expect(times).toEqual(times.map((time) => new Date(time).toISOString()));
  await setLeft("0 seconds");
  expect(await readConnection(partner(), id)).toEqual({ kind: "disconnected" });
});

test("the business is shown once it's connected, regardless of who connected it", async () => {
  expect(await readConnectedBusiness(partner())).toBeUndefined();
  const { businessUserId } = partner().config;
  const business = { id: businessUserId, userType: "business", status: "approved", firstName: "", lastName: "" };
  await connectServiceUser(partner().db, { ...business, personId: null }, await beginRead(partner().db));
  await connectBusiness();
  service.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf({ id: businessUserId }) }));
  service.requests.length = 0;
  expect(await readConnectedBusiness(partner())).toMatchObject({ connected: { kind: "ok" }, payments: [] });
  expect(service.requestsOf("GET /v1/transfers"), "its payments are Harbor's own").toEqual([]);
});

test("disconnecting redirects to the connection's page, and says if it only deleted tokens here", async () => {
  const seller = await connectSeller({ status: "approved" });
  const pair = { access_token: "a", refresh_token: "r", token_type: "Bearer", expires_in: 7200 };
  service.answer("POST /v1/oauth/revoke", () => ({ status: 200 }));
  expect(await submitSellerDisconnect(partner(), {}, seller.person)).toEqual({ redirectTo: "/dashboard" });
  await partner().tokens.keep(seller.id, pair);
  service.answer("POST /v1/oauth/revoke", () => ({ status: 404 }));
  expect(await submitSellerDisconnect(partner(), {}, seller.person)).toEqual({ redirectTo: "/dashboard?ended=here" });
  await partner().tokens.keep(partner().config.businessUserId, pair);
  expect(await submitBusinessDisconnect(partner())).toEqual({ redirectTo: "/business?ended=here" });
  service.answer("POST /v1/oauth/revoke", () => refused(503, "unavailable"));
  await partner().tokens.keep(seller.id, pair);
  const failed = await submitSellerDisconnect(partner(), {}, seller.person);
  expect(failed).toEqual({ problems: [{ field: "form", message: expect.stringContaining("may still be connected") }] });
  expect((await readConnection(partner(), seller.id)).kind).toBe("connected");
});

// Only a connection ended in Harbor counts as disconnected.
test("only a connection ended here counts as disconnected, until it's made again", async () => {
  const { tokens, tokenStore, db } = partner();
  const { id: userId, person } = await connectSeller({ status: "approved" });
  const tokenPair = { access_token: "a", refresh_token: "r", token_type: "Bearer", expires_in: 7200 };
  const loseToken = async () => {
    await tokens.keep(userId, tokenPair);
    await tokenStore.remove(userId, { refreshToken: "r" });
  };
  const connectAgain = async () => {
    const names = { firstName: "Marta", lastName: "Quay" };
    const record = { id: userId, personId: person.id, status: "approved", userType: "personal", ...names };
    await connectServiceUser(db, record, await beginRead(db));
    await tokens.keep(userId, tokenPair);
  };
  const ended = { kind: "reauthorization_required" };
  await loseToken();
  expect(await readConnectedUser(partner(), userId)).toEqual({ ...ended, isDisconnected: false });

  await tokens.keep(userId, tokenPair);
  service.answer("POST /v1/oauth/revoke", () => refused(503, "unavailable"));
  await submitSellerDisconnect(partner(), {}, person);
  await loseToken();
  expect(await readConnectedUser(partner(), userId)).toEqual({ ...ended, isDisconnected: false });

  await tokens.keep(userId, tokenPair);
  service.answer("POST /v1/oauth/revoke", () => ({ status: 200 }));
  await submitSellerDisconnect(partner(), {}, person);
  expect(await readConnectedUser(partner(), userId)).toEqual({ ...ended, isDisconnected: true });

  await connectAgain();
  const { remove } = tokenStore;
  const atDeletion = Promise.withResolvers();
  vi.spyOn(tokenStore, "remove").mockImplementationOnce(async (...dead) => {
    await remove(...dead);
    atDeletion.resolve(await readConnectedUser(partner(), userId));
  });
  await submitSellerDisconnect(partner(), {}, person);
  expect(await atDeletion.promise).toEqual({ ...ended, isDisconnected: true });

  await connectAgain();
  await loseToken();
  expect(await readConnectedUser(partner(), userId)).toEqual({ ...ended, isDisconnected: false });
});

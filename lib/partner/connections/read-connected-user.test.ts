import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { database } from "../storage/database.ts";
import { findServiceUser } from "../storage/service-users.ts";
import { connectSeller } from "../testing/connected-users.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { accountRecordOf, userRecordOf } from "../testing/records.ts";
import { readConnectedUser } from "./read-connected-user.ts";

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

// The guarantee: what could not be read is told apart from what is not there.
test.each([
  ["refuses", () => refused(503, "unavailable")],
  ["has no such list", () => ({ status: 404 })],
  ["answers what cannot be understood", () => ({ status: 200, body: { accounts: "many" } })],
  ["cuts the connection", () => "cut" as const],
])("accounts and payouts are unknown, and not none, when the service %s", async (_what, answer) => {
  service.answer("GET /v1/accounts", answer);
  service.answer("GET /v1/transfers", answer);
  expect(await readConnectedUser(id)).toMatchObject({ kind: "ok", accounts: undefined, transfers: undefined });
});

test("accounts and payouts are none when the service says so", async () => {
  expect(await readConnectedUser(id)).toMatchObject({ kind: "ok", accounts: [], transfers: [] });
});

test("an account that could not be read when the seller connected is kept once it is read, and not changed by another", async () => {
  expect(await findServiceUser(database(), id)).toMatchObject({ accountId: null });
  const [closed, wallet, later] = [accountRecordOf({ status: "closed" }), accountRecordOf(), accountRecordOf()];
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 2, accounts: [closed, wallet] } }));
  await readConnectedUser(id);
  expect(await findServiceUser(database(), id)).toMatchObject({ accountId: wallet.id });
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 2, accounts: [later, wallet] } }));
  await readConnectedUser(id);
  expect(await findServiceUser(database(), id)).toMatchObject({ accountId: wallet.id });
  const closedNow = { ...wallet, status: "closed" };
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 2, accounts: [closedNow, later] } }));
  await readConnectedUser(id);
  expect(await findServiceUser(database(), id)).toMatchObject({ accountId: later.id });
});

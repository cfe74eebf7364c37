import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import { partner } from "../process-partner.ts";
import { withinAction } from "../requests/current-action.ts";
import { beginRead, storeUserSnapshot } from "../storage/service-users.ts";
import { clearTables } from "../testing/clear-tables.ts";
import { type ConnectedBusiness, connectBusiness, connectSeller } from "../testing/connected-users.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { accountRecordOf, userRecordOf } from "../testing/records.ts";
import { readRoutineChoices } from "./routine-choices.ts";
import { sellerChoices } from "./routine-view.ts";

let service: FakeService;
let business: ConnectedBusiness;

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  await clearTables("routine_events", "routines", "token_pairs", "service_users");
  service.clear();
  business = await connectBusiness();
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [accountRecordOf()] } }));
});

async function offered(): Promise<string[]> {
  const choices = await readRoutineChoices(partner());
  return choices.kind === "ok" ? choices.sellers.map(({ userId }) => userId) : [];
}

function respondWithStatus(status: string): void {
  service.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf({ id: business.sellerUserId, status }) }));
}

test("a seller who was suspended without a webhook isn't offered", async () => {
  respondWithStatus("suspended");
  expect(await offered()).toEqual([]);
});

test("a seller without an account is offered once approved, even if the event about that was lost", async () => {
  await partner().db.execute(sql`update service_users set status = 'pending', account_id = null, account_read = 0
    where id = ${business.sellerUserId}`);
  respondWithStatus("approved");
  expect(await offered()).toEqual([business.sellerUserId]);
});

test("a seller whose account can't be read isn't offered, and isn't shown as nonexistent", async () => {
  await partner().db.execute(sql`update service_users set account_id = null, account_read = 0`);
  service.answer("GET /v1/accounts", () =>
    service.requestsOf("GET /v1/accounts").length === 1
      ? { status: 200, body: { accounts: [accountRecordOf()] } }
      : refused(503, "unavailable"),
  );
  expect(await readRoutineChoices(partner())).toMatchObject({ kind: "ok", sellers: [], areSellersWhole: false });
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [accountRecordOf()] } }));
  expect(await readRoutineChoices(partner())).toMatchObject({ areSellersWhole: true });
});

test("without a readable open account, the business isn't shown as having none if others can't be read", async () => {
  const closed = accountRecordOf({ status: "closed" });
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [closed, {}] } }));
  expect(await readRoutineChoices(partner())).toEqual({ kind: "unavailable", isAnswered: true });
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { accounts: [closed] } }));
  expect(await readRoutineChoices(partner())).toMatchObject({ kind: "ok", accounts: [] });
});

test("reads a seller at most once a minute, no matter how often the form is opened", async () => {
  respondWithStatus("approved");
  await Promise.all([offered(), offered(), offered()]);
  expect(await offered()).toEqual([business.sellerUserId]);
  expect(service.requestsOf("GET /v1/user")).toHaveLength(1);
  await partner().db.execute(sql`update service_users set asked_real_at = now() - interval '61 seconds'`);
  respondWithStatus("suspended");
  expect(await offered()).toEqual([]);
});

test("sellers of the same name are distinguished by their masked email address and the end of their phone", async () => {
  service.answer("GET /v1/user", () => refused(503, "unavailable"));
  const names = async () => {
    const choices = await readRoutineChoices(partner());
    return choices.kind === "ok" ? choices.sellers.map(({ name }) => name) : [];
  };
  expect(await names()).toEqual([expect.stringMatching(/^Marta Quay \(m•••@example\.com\)$/)]);
  const { id, person } = await connectSeller({ status: "approved" });
  await storeUserSnapshot(partner().db, id, { usableAccountIds: [newId()] }, await beginRead(partner().db));
  const offered = await names();
  expect(offered).toHaveLength(2);
  expect(new Set(offered).size).toBe(2);
  const { email, phone } = person;
  expect(offered).toContain(
    `Marta Quay (phone\u00a0••${phone.slice(-4)}, ${email[0]}•••${email.slice(email.indexOf("@"))})`,
  );
  expect(offered.join()).not.toContain(email);
});

test("sellers of the same name are distinguished in the operator's language", () => {
  const seller = { firstName: "Ana", lastName: "Quay", email: "ana@example.com" };
  const sellers = [
    { ...seller, id: "1", phone: "+12025550101" },
    { ...seller, id: "2", phone: "+12025550102" },
  ];
  const choices = withinAction({ traceId: newTraceId(), cause: "GET /routines/new", locale: "es-US" }, () =>
    sellerChoices(sellers),
  );
  expect(choices.map(({ name }) => name)).toEqual([
    "Ana Quay (teléfono\u00a0••0101, a•••@example.com)",
    "Ana Quay (teléfono\u00a0••0102, a•••@example.com)",
  ]);
});

test("naming a thousand sellers reads each of them only a few times", () => {
  let reads = 0;
  const sellers = Array.from({ length: 1000 }, (_, number) => ({
    ...{ id: String(number), lastName: String(number), email: "a@example.com", phone: "+12025550123" },
    get firstName() {
      reads += 1;
      return "Marta";
    },
  }));
  expect(sellerChoices(sellers)).toHaveLength(1000);
  expect(reads).toBeLessThan(10_000);
});

test("a seller whose read goes unanswered is still offered", async () => {
  service.answer("GET /v1/user", () => refused(503, "unavailable"));
  expect(await offered()).toEqual([business.sellerUserId]);
});

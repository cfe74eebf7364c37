import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import { connectUser } from "../authorization/finish-authorization.ts";
import { partner } from "../process-partner.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUser } from "../storage/service-users.ts";
import { connectSeller } from "../testing/connected-users.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { accountRecordOf, userRecordOf } from "../testing/records.ts";
import { applyUserUpdate } from "./process-webhooks.ts";

let service: FakeService;
let id: string;
let person: Person;

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  ({ id, person } = await connectSeller({ status: "pending" }));
  service.requests.length = 0;
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 1, accounts: [accountRecordOf()] } }));
});

function update() {
  const receipt = { webhookId: newId(), webhookType: "user_updated", userId: id, resourceId: id, attempts: 1 };
  return applyUserUpdate(partner(), { ...receipt, traceId: newTraceId() });
}

function userIs(status: string) {
  return { status: 200, body: userRecordOf({ id, status, phone: person.phone }) };
}

function userReads() {
  return service.requestsOf("GET /v1/user").length;
}

/** The first request gets the older status once `release` is called; all others get the newer one at once. */
function answerFirstLate(): { release: () => void } {
  let release = () => {};
  const late = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isFirst = true;
  service.answer("GET /v1/user", async () => {
    if (!isFirst) return userIs("suspended");
    isFirst = false;
    await late;
    return userIs("approved");
  });
  return { release: () => release() };
}

// Of two records, the one requested later wins, regardless of the order of the responses.
test("when two updates are applied at once, the older record doesn't overwrite the newer", async () => {
  const { release } = answerFirstLate();
  const first = update();
  await expect.poll(userReads).toBe(1);
  expect(await update()).toBe("applied");
  release();
  expect(await first).toBe("applied");
  expect(await findServiceUser(partner().db, id)).toMatchObject({ status: "suspended" });
});

test("a record read before an authorization doesn't overwrite a newer one from an update", async () => {
  const { release } = answerFirstLate();
  const pair = { access_token: newId(), refresh_token: newId(), token_type: "Bearer", expires_in: 7200 };
  const pending = {
    state: "",
    codeVerifier: "",
    personId: person.id,
    purpose: "seller" as const,
    expectedUserId: id,
    returnTo: "/",
    traceId: newTraceId(),
  };
  const connected = connectUser(partner(), pair, pending, person);
  await expect.poll(userReads).toBe(1);
  await update();
  release();
  expect(await connected).toBeUndefined();
  expect(await findServiceUser(partner().db, id)).toMatchObject({ status: "suspended" });
});

test("retries an approval if the seller's account couldn't be read", async () => {
  service.answer("GET /v1/user", () => userIs("approved"));
  service.answer("GET /v1/accounts", () => refused(503, "unavailable"));
  expect(await update()).toBe("try_later");
  const account = accountRecordOf();
  service.answer("GET /v1/accounts", () => ({ status: 200, body: { count: 1, accounts: [account] } }));
  expect(await update()).toBe("applied");
  expect(await findServiceUser(partner().db, id)).toMatchObject({ status: "approved", accountId: account.id });
});

test("keeps an event while the service refuses the tokens but may accept them again", async () => {
  service.answer("GET /v1/user", () => refused(401, "unauthorized"));
  service.answer("POST /v1/oauth/token", () => refused(401, "unauthorized"));
  expect(await update()).toBe("try_later");
  service.answer("GET /v1/user", () => userIs("suspended"));
  expect(await update()).toBe("applied");
  expect(await findServiceUser(partner().db, id)).toMatchObject({ status: "suspended" });
});

test("ignores an event about an unconnected seller, because connecting reads the record", async () => {
  await partner().pool.query("delete from token_pairs where service_user_id = $1", [id]);
  expect(await update()).toBe("ignored");
  expect(service.requests).toEqual([]);
});

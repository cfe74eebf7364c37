import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { signatureHeaders } from "../../contract/webhooks.ts";
import { newId } from "../../kit/ids.ts";
import { newTraceId, traceparentOf } from "../../kit/trace.ts";
import { answerCustomerRequest } from "../customers/answer-customer-request.ts";
import { partner } from "../process-partner.ts";
import { withinAction } from "../requests/current-action.ts";
import { findRoutineByServiceId } from "../storage/routines.ts";
import { connectBusiness, connectSeller } from "../testing/connected-users.ts";
import { takePayments } from "../testing/fake-payments.ts";
import { refused, startFakeService } from "../testing/fake-service.ts";
import { actAs, entriesOf } from "../testing/inspector.ts";
import { partnerWith } from "../testing/partner-with.ts";
import { pay } from "../testing/pay.ts";
import { createPerson } from "../testing/people.ts";
import { userRecordOf } from "../testing/records.ts";
import { processWebhooks } from "../webhooks/process-webhooks.ts";
import { receiveWebhook } from "../webhooks/receive-webhook.ts";
import { createEntryWriter } from "./create-inspector.ts";
import { readEntries } from "./read-inspector.ts";
import type { EntryDetails } from "./schema.ts";
import { entriesPerPersonMax } from "./storage.ts";

const fake = await startFakeService();
partnerWith();
const keepEntry = createEntryWriter(partner());
afterAll(fake.stop);
beforeEach(() => fake.clear());

const payment = { name: "Lamps", amount: 12.5, source_id: "a", destination_id: "b" };
const book = () => partner().client.createBookRoutine("token-of-the-user", payment, { idempotencyKey: newId() });

const details: EntryDetails = {
  kind: "call",
  method: "GET",
  path: "/v1/user",
  outcome: "ok",
  problems: [],
  request: { headers: {} },
};

describe("a call", () => {
  test.each([
    ["that was answered", { status: 201, body: { id: "r", transfer_id: "t" } }, { outcome: "ok", status: 201 }],
    [
      "that was answered, but not understood, with the field that was wrong",
      { status: 201, body: { id: "r" } },
      { outcome: "not_understood", problems: [{ field: "transfer_id", message: "was not understood: missing" }] },
    ],
    [
      "that was understood in part",
      { status: 201, body: { id: "r", transfer_id: "t", amount: "much" } },
      { outcome: "ok", problems: [{ field: "amount", message: expect.stringContaining("a string of 4 characters") }] },
    ],
    [
      "that was refused, with the request id",
      refused(422, "insufficient_funds"),
      { outcome: "refused", status: 422, requestId: "r-1", why: "insufficient_funds: Refused: insufficient_funds." },
    ],
    ["that may have taken effect all the same", { status: 503 }, { outcome: "undecided", status: 503 }],
    ["that was not answered", "cut" as const, { outcome: "unknown", why: expect.any(String) }],
  ])("%s is recorded for the person who caused it", async (_what, answer, expected) => {
    const person = await createPerson();
    fake.answer("POST /v1/routines/book", () => answer);
    await actAs(person, book);
    const [entry] = await entriesOf(person, 1);
    expect(entry).toMatchObject({ kind: "call", method: "POST", path: "/v1/routines/book", cause: "POST /somewhere" });
    expect(entry).toMatchObject(expected);
    expect(JSON.stringify(entry)).not.toContain("token-of-the-user");
  });

  test("that was refused is recorded without the secrets and personal data that the refusal repeats", async () => {
    const person = await createPerson();
    const body = {
      reason: "trusted_authentication_not_enabled",
      description: "marta@example.com has a routine.",
      errors: [{ field: "ssn", message: "123-45-6789 is taken." }],
    };
    fake.answer("POST /v1/routines/book", () => ({ status: 422, body }));
    await actAs(person, book);
    const [entry] = await entriesOf(person, 1);
    expect(entry).toMatchObject({
      why: "trusted_authentication_not_enabled: [redacted]",
      problems: [{ field: "ssn", message: "[redacted]" }],
    });
    expect(JSON.stringify(entry)).not.toMatch(/marta|45-6789/);
  });

  test("is shown only to that person", async () => {
    const [person, otherPerson] = [await createPerson(), await createPerson()];
    fake.answer("POST /v1/routines/book", () => ({ status: 404 }));
    await book();
    await actAs(person, book);
    await entriesOf(person, 1);
    expect((await readEntries(partner(), otherPerson.id)).entries).toEqual([]);
    expect((await readEntries(partner(), person.id)).entries).toHaveLength(1);
  });

  test("of one action shares its trace with the others", async () => {
    const person = await createPerson();
    await actAs(person, () => Promise.all([partner().client.readUser("a"), partner().client.listAccounts("a")]));
    const entries = await entriesOf(person, 2);
    expect(new Set(entries.map(({ traceId }) => traceId)).size).toBe(1);
    expect(
      fake.requests.every(({ headers }) => headers["traceparent"]?.toString().includes(entries[0]?.traceId ?? "-")),
    ).toBe(true);
  });

  test("works even if nothing can be recorded", async () => {
    fake.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf() }));
    // The person doesn't exist, so the database rejects the entry.
    const read = withinAction({ traceId: newTraceId(), cause: "GET /", personId: newId() }, () =>
      partner().client.readUser("a"),
    );
    expect(await read).toMatchObject({ kind: "ok" });
    const person = await createPerson();
    await actAs(person, () => partner().client.readUser("a"));
    expect(await entriesOf(person, 1)).toHaveLength(1);
  });
});

describe("a webhook", () => {
  async function deliver(
    body: object,
    { webhookId = newId(), secret = String(partner().config.webhookSecrets[0]), traceId = newTraceId() } = {},
  ) {
    const text = JSON.stringify({ webhook_id: webhookId, ...body });
    const headers = signatureHeaders({ webhookId, sentAtSeconds: Math.floor(Date.now() / 1000), body: text }, [secret]);
    return receiveWebhook(partner(), text, new Headers({ ...headers, traceparent: traceparentOf(traceId) }));
  }

  test("is recorded for its person: accepted, a duplicate, or refused and why", async () => {
    const { id, person } = await connectSeller({ status: "approved" });
    const event = { webhook_type: "user_updated", user_id: id, resource_id: id };
    const webhookId = newId();
    await deliver(event, { webhookId });
    await entriesOf(person, 1);
    await deliver(event, { webhookId });
    await entriesOf(person, 2);
    await deliver(event, { secret: `whsec_${Buffer.alloc(24, 9).toString("base64")}` });
    const entries = await entriesOf(person, 3);
    expect(entries.map(({ outcome, status, why }) => [outcome, status, why])).toEqual([
      ["turned_away", 401, "none of its signatures was made with this secret"],
      ["duplicate", 200, undefined],
      ["accepted", 202, undefined],
    ]);
    expect(entries.map(({ rule }) => rule?.clause)).toEqual(["D14.2", "D14.3", "I.events.3"]);
    expect(entries[0]?.request.body).toMatchObject(event);
  });

  test("is recorded with the calls that apply it", async () => {
    const { id, person } = await connectSeller({ status: "approved" });
    fake.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf({ id, status: "suspended" }) }));
    const traceId = newTraceId();
    await deliver({ webhook_type: "user_updated", user_id: id, resource_id: id }, { traceId });
    await processWebhooks(partner());
    const entries = await entriesOf(person, 3);
    expect(entries).toMatchObject([
      { kind: "call", path: "/v1/accounts", cause: "webhook user_updated", traceId },
      { kind: "call", path: "/v1/user", cause: "webhook user_updated", traceId },
      { kind: "webhook", outcome: "accepted", traceId },
    ]);
  });

  test("about a payment is for its operator and its seller; reads after it only for the operator", async () => {
    const payments = takePayments(fake);
    const business = await connectBusiness();
    const seller = await personOf(business.sellerUserId);
    await actAs(business.operator, () => pay(business));
    const [routine] = payments.created;
    const kept = await findRoutineByServiceId(partner().db, { serviceRoutineId: routine?.id ?? "" });
    await entriesOf(business.operator, 1);
    const event = { webhook_type: "transfer_updated", user_id: "business", resource_id: routine?.transfer_id };
    await deliver(event, { traceId: kept?.traceId ?? "" });
    await processWebhooks(partner());
    await entriesOf(business.operator, 3);
    expect((await entriesOf(seller, 1)).map(({ kind }) => kind)).toEqual(["webhook"]);
  });

  async function personOf(serviceUserId: string) {
    const { rows } = await partner().pool.query(
      "select p.* from people p join service_users u on u.person_id = p.id where u.id = $1",
      [serviceUserId],
    );
    return rows[0];
  }
});

test("the service's request about a customer is recorded for them, with the answer", async () => {
  const person = await createPerson();
  const traceId = newTraceId();
  const headers = new Headers({
    traceparent: traceparentOf(traceId),
    authorization: `Bearer ${partner().config.customerEndpointSecrets[0]}`,
  });
  await answerCustomerRequest(partner(), { authorization: headers.get("authorization"), headers }, person.id);
  await entriesOf(person, 1);
  await answerCustomerRequest(partner(), { authorization: null }, person.id);
  expect(await entriesOf(person, 2)).toMatchObject([
    { kind: "answer", outcome: "answered", status: 401, rule: { clause: "D18.1" } },
    {
      kind: "answer",
      outcome: "answered",
      status: 200,
      traceId,
      response: { body: { customer_id: person.id, phone: "[redacted]" } },
    },
  ]);
});

describe("the record is bounded", () => {
  test("to a number of entries per person: the newest stay", async () => {
    const person = await createPerson();
    fake.answer("GET /v1/user", () => ({ status: 404 }));
    await partner().pool.query(
      `insert into inspector_entries (person_id, id, trace_id, details, occurred_real_at)
       select $1, ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid, 'old', '{}', now() - interval '1 h' from generate_series(1, $2) n`,
      [person.id, entriesPerPersonMax],
    );
    await actAs(person, () => partner().client.readUser("a"));
    const oldest = "00000000-0000-0000-0000-000000000001";
    await expect.poll(async () => (await idsOf(person.id)).includes(oldest)).toBe(false);
    expect(await idsOf(person.id)).toHaveLength(entriesPerPersonMax);
  });

  test("to ids that PostgreSQL can look up: other entries are kept", async () => {
    const person = await createPerson();
    const entry = { traceId: newTraceId(), at: new Date(), details };
    keepEntry({ ...entry, reader: { ids: ["\0"] } });
    keepEntry({ ...entry, reader: { personId: person.id } });
    await entriesOf(person, 1);
  });

  test("in its write queue: a flood loses entries and nothing else", async () => {
    const person = await createPerson();
    const many = Array.from({ length: 2000 }, () => ({
      traceId: newTraceId(),
      at: new Date(),
      details,
      reader: { personId: person.id },
    }));
    for (const entry of many) keepEntry(entry);
    await entriesOf(person, 500);
    await actAs(person, () => partner().client.readUser("a"));
    await expect
      .poll(async () => (await readEntries(partner(), person.id)).entries.some(({ cause }) => cause))
      .toBe(true);
    await expect.poll(async () => (await idsOf(person.id)).length).toBe(entriesPerPersonMax);
  });

  async function idsOf(personId: string): Promise<string[]> {
    const { rows } = await partner().pool.query<{ id: string }>(
      "select id from inspector_entries where person_id = $1",
      [personId],
    );
    return rows.map(({ id }) => id);
  }
});

test("only new entries are sent: everything since the last request, and nothing older", async () => {
  const person = await createPerson();
  await actAs(person, () => partner().client.readUser("a"));
  await entriesOf(person, 1);
  const { upTo } = await readEntries(partner(), person.id);
  await partner().pool.query(
    "update inspector_entries set kept_real_at = kept_real_at - interval '1 min' where person_id = $1",
    [person.id],
  );
  expect((await readEntries(partner(), person.id, upTo)).entries).toEqual([]);
  await actAs(person, () => partner().client.listAccounts("a"));
  await entriesOf(person, 2);
  expect((await readEntries(partner(), person.id, upTo)).entries).toMatchObject([{ path: "/v1/accounts" }]);
  expect((await readEntries(partner(), person.id, "no time")).entries).toHaveLength(2);
});

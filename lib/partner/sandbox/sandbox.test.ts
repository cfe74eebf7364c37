import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { findPersonOf, sealSession } from "../people/session-cookie.ts";
import { partner } from "../process-partner.ts";
import { addressOfPayment, readPrefilledPayment } from "../routines/prefilled-payment.ts";
import { completeOnboarding } from "../storage/onboardings.ts";
import { findPersonById, type Person } from "../storage/people.ts";
import { beginRead, storeUserSnapshot } from "../storage/service-users.ts";
import { connectBusiness, connectSeller } from "../testing/connected-users.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { pay } from "../testing/pay.ts";
import { createPerson } from "../testing/people.ts";
import { routineRecordOf } from "../testing/records.ts";
import { readClocks, submitClockReset, submitJump } from "./clocks.ts";
import { signInDirectly } from "./connect-demo-people.ts";
import { listPendingDecisions, submitDecision } from "./decide.ts";
import { demoEmails, listDemoPeople, seedPartnerSandbox } from "./seed.ts";
import { clearAllExcept, readSecondsAhead, setSecondsAhead } from "./storage.ts";
import { readPayOffer } from "./switch-offers.ts";

const source = { clientAddress: "203.0.113.1", knownDevices: [] };
let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  service.clear();
  await setSecondsAhead(partner().db, 0);
});

test("switching person is a sign-in: a text is sent, its code is spent, and it counts as their authentication", async () => {
  await seedPartnerSandbox(partner());
  const [olive] = await listDemoPeople(partner());
  const person = await createPerson();
  const before = person.lastAuthenticationAt.getTime();
  const present = await signInDirectly(partner(), person, source);
  expect(present?.id).toBe(person.id);
  expect(present?.lastAuthenticationAt.getTime()).toBeGreaterThan(before);
  expect(olive?.role).toBe("operator");
  const { rows } = await partner().pool.query("select id from messages where phone = $1", [person.phone]);
  expect(rows).toHaveLength(1);
});

test("a jump moves the service's clock, and syncs Harbor's to it", async () => {
  service.answer("POST /sandbox/clock/advance", ({ body }) => ({
    status: 200,
    body: { now: "2026-01-31T09:30:00Z", offset_seconds: 60 + Number(body["seconds"]) },
  }));
  expect((await submitJump(partner(), { seconds: 7200 })).problems).toEqual([]);
  expect(await readSecondsAhead(partner().db)).toBe(7260);
});

test("a jump ends the sessions that expire by Harbor's clock; going back to real time doesn't revive them", async () => {
  const { id } = await createPerson();
  const isSignedIn = async (sealed: string) => (await findPersonOf(partner(), sealed))?.person.id === id;
  const first = await sealSession(partner(), id);
  await setSecondsAhead(partner().db, 11 * 3600);
  expect(await isSignedIn(first)).toBe(true);
  const second = await sealSession(partner(), id);
  await setSecondsAhead(partner().db, 13 * 3600);
  expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
  await setSecondsAhead(partner().db, 0);
  expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
  await setSecondsAhead(partner().db, 31 * 24 * 3600);
  expect(await isSignedIn(second)).toBe(false);
});

test("a payment sent while the clock ran ahead is checked as soon after the clock is set back", async () => {
  await setSecondsAhead(partner().db, 30 * 86_400);
  service.answer("POST /v1/routines/book", () => "cut");
  const paid = await pay(await connectBusiness());
  if (paid.kind !== "created") throw new Error("The payment should be stored.");
  const secondsUntilCheck = async () => {
    const { rows } = await partner().pool.query(
      "select extract(epoch from next_try_at - harbor_now())::float8 as seconds from routines where id = $1",
      [paid.routineId],
    );
    return rows[0]?.seconds;
  };
  expect(await secondsUntilCheck()).toBeLessThan(60);
  await setSecondsAhead(partner().db, 0);
  expect(await secondsUntilCheck()).toBeLessThan(60);
  await setSecondsAhead(partner().db, 3600);
  expect(await secondsUntilCheck()).toBeLessThan(0);
});

test.each([
  ["refuses", () => refused(400, "validation_failed"), "refused, so no clock was moved"],
  ["does not answer", () => "cut" as const, "didn't report its time, so Harbor's clock stays"],
  ["answers without its time", () => ({ status: 200, body: {} }), "didn't report its time, so Harbor's clock stays"],
])("Harbor's clock stays when the service %s", async (_what, answer, message) => {
  service.answer("POST /sandbox/clock/advance", answer);
  service.answer("POST /sandbox/clock/reset", answer);
  service.answer("GET /sandbox/clock", answer);
  await setSecondsAhead(partner().db, 5);
  for (const state of [await submitJump(partner(), { seconds: 7200 }), await submitClockReset(partner())]) {
    expect(state.problems[0]?.message).toContain(message);
  }
  expect(await readClocks(partner())).toEqual({ harborSeconds: 5, serviceSeconds: undefined });
});

test("a seller can decide only about their own details, and only while they're pending", async () => {
  const [seller, otherPerson] = [await createPerson(), await createPerson()];
  const userIntentId = await onboard(seller);
  service.answer(`POST /sandbox/user_intents/${userIntentId}/status`, () => ({
    status: 200,
    body: { id: userIntentId },
  }));
  expect(await listPendingDecisions(partner(), otherPerson)).toEqual([]);
  const decision = { id: userIntentId, decision: "rejected" as const };
  expect((await submitDecision(partner(), decision, otherPerson)).problems).toHaveLength(1);
  expect(service.requests).toEqual([]);
  expect((await submitDecision(partner(), decision, seller)).notice).toContain("Decided at");
  expect(service.requests.map(({ path }) => path)).toEqual([`/sandbox/user_intents/${userIntentId}/status`]);
  // A payment's final status isn't a decision about a person.
  expect((await submitDecision(partner(), { id: userIntentId, decision: "paid" }, seller)).problems).toHaveLength(1);
});

test("an operator decides how an open payment ends, and nothing about people", async () => {
  const business = await connectBusiness();
  const [routine, other] = [routineRecordOf(), routineRecordOf()];
  service.answer("POST /v1/routines/book", () => ({ status: 201, body: routine }));
  expect((await pay(business)).kind).toBe("created");
  const waiting = { kind: "transfer", id: routine.transfer_id, what: "Lamps, to Marta Quay" };
  expect(await listPendingDecisions(partner(), business.operator)).toEqual([waiting]);
  expect(await listPendingDecisions(partner(), await createPerson())).toEqual([]);
  const route = `POST /sandbox/transfers/${routine.transfer_id}/status`;
  service.answer(route, () => ({ status: 200, body: {} }));
  service.requests.length = 0;
  const decide = async (decision: "paid" | "failed" | "approved", id = routine.transfer_id) =>
    (await submitDecision(partner(), { id, decision }, business.operator)).notice;
  expect(await decide("paid")).toContain("Decided at");
  expect(await decide("failed")).toContain("Decided at");
  expect(service.requestsOf(route).map(({ body }) => body)).toEqual([
    { status: "processed" },
    { status: "failed", failure_reason: "account_closed" },
  ]);
  expect(await decide("approved")).toBeUndefined();
  expect(await decide("paid", other.transfer_id)).toBeUndefined();
  expect(service.requests).toHaveLength(2);
});

test("a payable seller is offered to pay themselves, as the operator, with the form filled in", async () => {
  await seedPartnerSandbox(partner());
  const { id, person: seller } = await connectSeller({ status: "approved" });
  expect(await readPayOffer(partner(), seller), "no account is known yet").toBeUndefined();
  await storeUserSnapshot(partner().db, id, { usableAccountIds: [newId()] }, await beginRead(partner().db));
  const offer = await readPayOffer(partner(), seller);
  expect(offer).toMatchObject({ email: demoEmails[0] });
  const query = Object.fromEntries(new URL(offer?.returnTo ?? "", partner().config.baseUrl).searchParams);
  expect(readPrefilledPayment(query)).toMatchObject({ seller_user_id: id, name: "Sales of June" });
  expect(await readPayOffer(partner(), await createPerson())).toBeUndefined();
  service.answer("POST /v1/oauth/revoke", () => ({ status: 200, body: {} }));
  expect((await partner().tokens.disconnect(id)).kind).toBe("disconnected");
  expect(await readPayOffer(partner(), seller), "no longer connected").toBeUndefined();
});

test("a payment form's URL fills it in, but not if a parameter is repeated", () => {
  const payment = { source_id: "a 1", seller_user_id: "u 1", amount: "20.11", name: "Quay & Sons" };
  const query = Object.fromEntries(new URL(addressOfPayment(payment), "http://localhost").searchParams);
  expect(readPrefilledPayment(query)).toEqual(payment);
  expect(readPrefilledPayment({ seller: ["u 1", "u 2"] })).toEqual({
    source_id: "",
    seller_user_id: "",
    amount: "",
    name: "",
  });
});

test("a fresh demo keeps the demo people and the clock, and nothing else", async () => {
  await seedPartnerSandbox(partner());
  const person = await createPerson();
  await onboard(person);
  await setSecondsAhead(partner().db, 7);
  await partner().inTransaction((tx) => clearAllExcept(tx, demoEmails));
  expect(await findPersonById(partner().db, person.id)).toBeUndefined();
  expect(await listDemoPeople(partner())).toHaveLength(demoEmails.length);
  expect(await readSecondsAhead(partner().db)).toBe(7);
  expect(await onboard(await createPerson())).toBeTruthy();
});

async function onboard({ id: personId }: Pick<Person, "id">): Promise<string> {
  const [userIntentId, idempotencyKey] = [newId(), crypto.randomUUID()];
  await completeOnboarding(
    partner().db,
    { personId, idempotencyKey, traceId: "a".repeat(32) },
    { userIntentId, status: "pending" },
  );
  return userIntentId;
}

import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import { insertEntries } from "../inspector/storage.ts";
import { partner } from "../process-partner.ts";
import { applyReport } from "../routines/apply-report.ts";
import { connectBusiness, connectSeller } from "../testing/connected-users.ts";
import { createPerson } from "../testing/people.ts";
import { channels, type Db } from "./database.ts";
import {
  claimUndecidedOnboarding,
  completeOnboarding,
  findOpenOnboarding,
  reserveOnboarding,
  updateOnboarding,
} from "./onboardings.ts";
import { claimWaitingPayments, confirmBatch, storeDraft, storeOutcome } from "./payment-batches.ts";
import { claimRoutinesToRead, insertFoundRoutine } from "./routine-comparison.ts";
import { postponeRoutine } from "./routine-resolution.ts";
import { beginSend, insertRoutine, markUnanswered } from "./routine-sends.ts";
import { beginRead, connectServiceUser, storeUserSnapshot, unlinkPerson } from "./service-users.ts";
import { storeTokenPair } from "./token-pairs.ts";

// A change of anything a page shows is announced to the people who see it, and nothing else is.
let listener: pg.Client;
let payloads: string[] = [];

beforeAll(async () => {
  listener = new pg.Client(partner().config.databaseDirectUrl);
  await listener.connect();
  listener.on("notification", ({ payload = "" }) => payloads.push(payload));
  await listener.query(`listen ${channels.changes}`);
});
afterAll(() => listener.end());

/** The announcements made during this work, each as `to topic id`. */
async function payloadsOf(work: () => Promise<unknown>): Promise<string[]> {
  await drainNotifications();
  payloads = [];
  await work();
  await drainNotifications();
  return payloads.slice(0, -1).map((payload) => Object.values(JSON.parse(payload)).join(" "));
}

/** Notifications arrive in the order of their commits, so earlier commits are received before this one. */
async function drainNotifications(): Promise<void> {
  const mark = newId();
  await partner().pool.query("select pg_notify($1, $2)", [channels.changes, mark]);
  while (!payloads.includes(mark)) await listener.query("select");
}

const pair = () => ({ access_token: newId(), refresh_token: newId(), token_type: "Bearer", expires_in: 7200 });

test("announces an onboarding to its person at each step, but not Harbor's polls", async () => {
  const { id: personId } = await createPerson();
  const submission = { personId, idempotencyKey: newId(), traceId: newTraceId() };
  const userIntentId = newId();
  const expected = [`${personId} onboarding`];
  expect(await payloadsOf(() => reserveOnboarding(partner().db, submission))).toEqual(expected);
  const sent = () => completeOnboarding(partner().db, submission, { userIntentId, status: "pending" });
  expect(await payloadsOf(sent)).toEqual(expected);
  await partner().pool.query("update onboardings set offered_from = now() + interval '1 hour' where person_id = $1", [
    personId,
  ]);
  const claim = () => claimUndecidedOnboarding(partner().db, personId, { pollSeconds: -1, graceSeconds: 60 });
  expect(await payloadsOf(claim)).toEqual([]);
  const decide = () =>
    updateOnboarding(partner().db, {
      ...{ userIntentId, personId, rejectionReasons: [], userId: null, updatedAt: new Date() },
      status: "approved",
    });
  expect(await payloadsOf(decide)).toEqual(expected);
  expect(await findOpenOnboarding(partner().db, personId)).toMatchObject({ status: "approved" });
});

test("announces a user's status and connection to its person, those of the business to the operators", async () => {
  const { id, person } = await connectSeller({ status: "approved" });
  const suspend = async () =>
    storeUserSnapshot(partner().db, id, { status: "suspended" }, await beginRead(partner().db));
  expect(await payloadsOf(suspend)).toEqual([`${person.id} user`]);
  expect(await payloadsOf(suspend)).toEqual([]);
  expect(await payloadsOf(() => storeTokenPair(partner().config.keyring, partner().db, id, pair()))).toEqual([
    `${person.id} user`,
  ]);
  const ofBusiness = () =>
    storeTokenPair(partner().config.keyring, partner().db, partner().config.businessUserId, pair());
  expect(await payloadsOf(ofBusiness)).toEqual(["operators user"]);
});

test("announces to a person that they were unlinked from a user, and that they connected it again", async () => {
  const { id, person } = await connectSeller({ status: "approved" });
  expect(await payloadsOf(() => unlinkPerson(partner().db, id))).toEqual([`${person.id} user`]);
  const record = { status: "approved", userType: "personal", firstName: "Marta", lastName: "Quay" };
  const connect = async () =>
    connectServiceUser(partner().db, { id, personId: person.id, ...record }, await beginRead(partner().db));
  expect(await payloadsOf(connect)).toEqual([`${person.id} user`]);
  expect(await payloadsOf(connect)).toEqual([]);
});

test("announces to a seller and the operators that an adopted payment is theirs", async () => {
  const { id, person } = await connectSeller({ status: "approved" });
  const [sourceId, destinationId] = [newId(), newId()];
  const found = {
    ...{ serviceRoutineId: newId(), transferId: newId(), createdAt: undefined },
    ...{ name: "Lamps", amountCents: 100, sourceId, destinationId },
  };
  const routineId = await insertFoundRoutine(partner().db, found);
  const assign = async () =>
    storeUserSnapshot(partner().db, id, { usableAccountIds: [destinationId] }, await beginRead(partner().db));
  expect(await payloadsOf(assign)).toEqual([
    `${person.id} user`,
    `operators routines ${routineId}`,
    `${person.id} routines`,
  ]);
});

test("announces a payment to the operators, and to its seller once the service has it", async () => {
  const { operator, sellerUserId, destinationId } = await connectBusiness();
  const { rows } = await partner().pool.query("select person_id from service_users where id = $1", [sellerUserId]);
  const seller = rows[0].person_id;
  const id = newId();
  const routine = {
    ...{ id, idempotencyKey: newId(), createdBy: operator.id, sellerUserId, traceId: newTraceId() },
    ...{ name: "Sales", amountCents: 100, sourceId: newId(), destinationId },
  };
  const toOperators = `operators routines ${id}`;
  const toBoth = [toOperators, `${seller} routines`];
  expect(await payloadsOf(() => insertRoutine(partner().db, routine))).toEqual([toOperators]);
  expect(await payloadsOf(() => markUnanswered(partner().db, id, 60))).toEqual([toOperators]);
  expect(await payloadsOf(() => beginSend(partner().db, id))).toEqual([toOperators]);
  const pending = { kind: "status", status: "pending" } as const;
  const ids = { serviceRoutineId: newId(), transferId: newId() };
  expect(await payloadsOf(() => applyReport(partner(), id, { ...ids, routine: pending, transfer: pending }))).toEqual(
    toBoth,
  );
  const processed = { kind: "status", status: "processed" } as const;
  expect(await payloadsOf(() => applyReport(partner(), id, { ...ids, routine: pending, transfer: processed }))).toEqual(
    toBoth,
  );
  expect(await payloadsOf(() => applyReport(partner(), id, { ...ids, routine: pending, transfer: processed }))).toEqual(
    [],
  );
  expect(await payloadsOf(() => claimRoutinesToRead(partner().db, [id], { seconds: 5 }))).toEqual([]);
  expect(await payloadsOf(() => postponeRoutine(partner().db, id, { seconds: 5, checksAfterEnd: 6 }))).toEqual([]);
});

test("announces a batch of payments to the operators, once per step", async () => {
  const { operator, sellerUserId } = await connectBusiness();
  const id = newId();
  const payments = [2, 3].map((line) => ({
    ...{ idempotencyKey: newId(), line, sellerUserId },
    ...{ amountCents: 100, name: `Line ${line}` },
  }));
  const draft = { id, createdBy: operator.id, sourceId: newId(), digest: "reviewed", payments };
  const inOne = (work: (tx: Db) => Promise<unknown>) => () => partner().inTransaction(work);
  const expected = [`operators routines ${id}`];
  expect(await payloadsOf(inOne((tx) => storeDraft(tx, draft)))).toEqual([]);
  expect(await payloadsOf(inOne((tx) => confirmBatch(tx, draft)))).toEqual(expected);
  expect(await payloadsOf(() => claimWaitingPayments(partner().db, 1))).toEqual([]);
  const key = payments[0]?.idempotencyKey ?? "";
  expect(await payloadsOf(() => storeOutcome(partner().db, key, { state: "not_made", reason: "found" }))).toEqual(
    expected,
  );
});

test("announces entries of the inspector to their people, once for those stored together", async () => {
  const [{ id: first }, { id: second }] = [await createPerson(), await createPerson()];
  const details = {
    kind: "call",
    method: "GET",
    path: "/",
    outcome: "ok",
    problems: [],
    request: { headers: {} },
  } as const;
  const rowOf = (personId: string) => ({
    id: newId(),
    personId,
    traceId: newTraceId(),
    details: { ...details, problems: [] },
    occurredRealAt: new Date(),
  });
  const payloads = await payloadsOf(() => insertEntries(partner().db, [rowOf(first), rowOf(second), rowOf(first)]));
  expect(payloads.sort()).toEqual([`${first} inspector`, `${second} inspector`].sort());
});

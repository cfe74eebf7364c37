import { createHmac } from "node:crypto";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { ScreeningAnswer, ScreeningProvider, ScreeningQuestion } from "../../contract/providers.ts";
import { logToFile } from "../../kit/testing/log-file.ts";
import { newPhone } from "../../kit/testing/phones.ts";
import type { WakeLoop } from "../../kit/wake-loop.ts";
import { decideUserIntent } from "../operations/people/decide-person.ts";
import { readVisit } from "../operations/visits/read-visit.ts";
import { correctIdentity, uploadPhotoId } from "../operations/visits/submit-identity.ts";
import { chooseProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { database, servicePool } from "../storage/database.ts";
import { identitySubmissions, screenings } from "../storage/schema.ts";
import { createTestClient, type TestClient } from "../testing/clients.ts";
import { bodiesOf } from "../testing/deliveries.ts";
import { screenDuePeople } from "../testing/due-work.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { callOperator } from "../testing/operator.ts";
import { createIntent, personDetails, testPhotoId } from "../testing/people.ts";
import { countProviderCalls } from "../testing/provider-calls.ts";
import { quarantined } from "../testing/quarantine.ts";
import { openTestVisit } from "../testing/visits.ts";
import { startScreening } from "./start-workers.ts";

const readLog = logToFile();

/** A provider that records its requests; a test can replace its answers. */
class Provider implements ScreeningProvider {
  readonly questions: ScreeningQuestion[] = [];
  readonly polled: { id: string; reference: string }[] = [];
  answer: (question: ScreeningQuestion) => Promise<ScreeningAnswer> = async () => ({ kind: "approved" });
  polledAnswer: () => Promise<ScreeningAnswer> = async () => ({ kind: "approved" });

  ask(question: ScreeningQuestion): Promise<ScreeningAnswer> {
    this.questions.push(question);
    return this.answer(question);
  }

  poll(pending: { id: string; reference: string }): Promise<ScreeningAnswer> {
    this.polled.push(pending);
    return this.polledAnswer();
  }

  async readCallback({ headers, body }: { headers: Headers; body: Uint8Array }) {
    return headers.get("x-signature") === sign(body) ? JSON.parse(new TextDecoder().decode(body)) : undefined;
  }
}

const sign = (body: Uint8Array | string) => createHmac("sha256", "of the provider").update(body).digest("hex");

let provider: Provider;
let client: TestClient;
let workers: WakeLoop[] = [];
beforeEach(async () => {
  provider = new Provider();
  chooseProviders({ ...sandboxProviders, screening: provider });
  client = await createTestClient();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await servicePool().query("delete from screenings");
  await servicePool().query("delete from quarantine");
});

const pendingAt = (reference: string) => async (): Promise<ScreeningAnswer> => ({ kind: "pending", reference });

async function statusOf(id: string): Promise<unknown> {
  return (await client.call("GET", `/v1/user_intent/${id}`)).json["status"];
}

const rowOf = async (id: string) =>
  (await database().select().from(screenings).where(eq(screenings.userIntentId, id)))[0];

/** Makes the person due now, despite any pause, and asks the provider. */
async function pollNow(id: string): Promise<void> {
  await servicePool().query("update screenings set due_real_at = now() where user_intent_id = $1", [id]);
  await servicePool().query("update quarantine set retry_real_at = now() where id = $1", [id]);
  await screenDuePeople(provider);
}

async function callBack(results: unknown, signature?: string): Promise<number> {
  const body = JSON.stringify(results);
  const request = new Request("http://127.0.0.1:4711/callbacks/screening", {
    method: "POST",
    headers: { "x-signature": signature ?? sign(body) },
    body,
  });
  const { createOperatorApi } = await import("../http/app.ts");
  return (await createOperatorApi().fetch(request)).status;
}

test("the provider gets the whole identity, under the intent's id", async () => {
  const details = personDetails({ phone: newPhone(), address2: "Apt 4" });
  const { id } = await createIntent(client, details);
  await pollNow(id);
  const { metadata: _, ...person } = details as typeof details & { metadata?: unknown };
  expect(provider.questions).toEqual([{ id, kind: "identity", person }]);
  expect(await statusOf(id)).toBe("approved");
});

test("submits the corrected person, then their photo ID, each under a new id", async () => {
  const details = personDetails({ phone: newPhone() });
  const { id } = await createIntent(client, details);
  const answers = { identity: "retry", correction: "document", photo_id: "approved" } as const;
  provider.answer = async ({ kind }) => ({ kind: answers[kind] });
  await pollNow(id);
  const key = await openTestVisit(client, { userIntentId: id, phone: details.phone, email: details.email });
  expect(await correctIdentity(key, { dateOfBirth: "12/24/1985", ssn: "587-65-4321" })).toEqual({ kind: "sent" });
  // The intent's own screening has ended, so a late answer to it decides nothing.
  await callBack([{ id, answer: { kind: "rejected" } }]);
  await pollNow(id);
  expect(await uploadPhotoId(key, testPhotoId)).toEqual({ kind: "sent" });
  await pollNow(id);
  const submissions = await database().select().from(identitySubmissions);
  const idOf = (kind: "retry" | "document") => submissions.find((submission) => submission.kind === kind)?.id;
  const corrected = { ...details, date_of_birth: "1985-12-24", ssn: "587654321" };
  expect(provider.questions).toEqual([
    { id, kind: "identity", person: details },
    { id: idOf("retry"), kind: "correction", person: corrected },
    { id: idOf("document"), kind: "photo_id", person: corrected, photo: testPhotoId },
  ]);
  expect(await statusOf(id)).toBe("approved");
});

test("a call to a silent provider times out after 20 s, and is retried later", async () => {
  const controller = new AbortController();
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(controller.signal);
  onTestFinished(() => timeout.mockRestore());
  provider.answer = () => new Promise(() => {});
  const { id } = await createIntent(client);
  const screening = pollNow(id);
  await expect.poll(() => provider.questions.length).toBe(1);
  expect(timeout).toHaveBeenLastCalledWith(20_000);
  controller.abort();
  await screening;
  expect([await statusOf(id), await quarantined("screening")]).toEqual(["pending", 1]);
});

test("a connection lost during one person's decision affects no other, and that one is retried at once", async () => {
  const [broken, sound] = [await createIntent(client), await createIntent(client)];
  await servicePool().query("update screenings set due_real_at = now()");
  const held = await holdRows("select from user_intents where id = $1 for update", [broken.id]);
  const screened = screenDuePeople(provider).catch((error: unknown) => error);
  await held.waiters(1);
  await expect.poll(() => statusOf(sound.id)).toBe("approved");
  await servicePool().query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  expect(await screened).toBeInstanceOf(Error);
  await held.release();
  expect(await quarantined("screening")).toBe(0);
  await screenDuePeople(provider);
  expect(await statusOf(broken.id)).toBe("approved");
});

test("a later decision is polled by its reference, after growing pauses, and announced once", async () => {
  provider.answer = pendingAt("case-7");
  provider.polledAnswer = pendingAt("case-7");
  const { id } = await createIntent(client);
  const pauses: number[] = [];
  for (let poll = 0; poll < 3; poll++) {
    await pollNow(id);
    const { dueRealAt } = (await rowOf(id)) ?? expect.fail("decided");
    pauses.push(Math.round((dueRealAt.getTime() - Date.now()) / 1000));
  }
  expect(pauses.map((pause) => Math.round(pause / 30))).toEqual([1, 2, 4]);
  expect(provider.questions).toHaveLength(1);
  expect(provider.polled).toEqual([
    { id, reference: "case-7" },
    { id, reference: "case-7" },
  ]);
  provider.polledAnswer = async () => ({ kind: "rejected", reasons: [{ code: "watchlist", message: "We can't." }] });
  await pollNow(id);
  const { json } = await client.call("GET", `/v1/user_intent/${id}`);
  expect(json).toMatchObject({ status: "rejected", rejection_reasons: [{ code: "watchlist", message: "We can't." }] });
  expect(await bodiesOf(client)).toHaveLength(1);
});

test("204: a callback decides, and a repeat changes nothing", async () => {
  provider.answer = pendingAt("case-8");
  const { id } = await createIntent(client);
  await pollNow(id);
  const results = [{ id, answer: { kind: "approved" } }];
  expect(await callBack(results)).toBe(204);
  expect(await statusOf(id)).toBe("approved");
  expect(await callBack(results)).toBe(204);
  expect(await callBack([{ id, answer: { kind: "rejected" } }])).toBe(204);
  expect(await statusOf(id)).toBe("approved");
  expect(await bodiesOf(client)).toHaveLength(1);
  await expect.poll(() => readLog().filter((line) => line["id"] === id)).toHaveLength(2);
});

test("204: a callback without a decision changes nothing, and the provider is still polled", async () => {
  provider.answer = pendingAt("case-10");
  const { id } = await createIntent(client);
  await pollNow(id);
  expect(await callBack([{ id, answer: { kind: "pending", reference: "case-10" } }])).toBe(204);
  await pollNow(id);
  expect(provider.polled).toEqual([{ id, reference: "case-10" }]);
  expect(await statusOf(id)).toBe("approved");
});

test("only one of ten concurrent callbacks and the poll decides", async () => {
  provider.answer = pendingAt("case-9");
  const { id } = await createIntent(client);
  await pollNow(id);
  const results = [{ id, answer: { kind: "approved" } }];
  await Promise.all([pollNow(id), ...Array.from({ length: 10 }, () => callBack(results))]);
  expect(await statusOf(id)).toBe("approved");
  expect(await bodiesOf(client)).toHaveLength(1);
});

test.each([
  ["401: a wrong signature", [], "0".repeat(64), 401],
  ["503: an unknown answer", [{ id: "00000000-0000-4000-8000-000000000000", answer: "yes" }], undefined, 503],
])("%s changes nothing", async (_name, results, signature, status) => {
  expect(await callBack(results, signature)).toBe(status);
});

test("404: no callback without a provider that reads them", async () => {
  chooseProviders({ ...sandboxProviders, screening: { ask: provider.ask, poll: provider.poll } });
  expect(await callBack([])).toBe(404);
  expect((await callOperator("POST", "/callbacks/anything")).status).toBe(404);
});

test("a result for a manually decided person is dropped and logged", async () => {
  const { id } = await createIntent(client);
  provider.answer = async () => {
    await decideUserIntent({ id, clientId: client.clientId }, { status: "rejected", rejectionReasons: [] });
    return { kind: "approved" };
  };
  await pollNow(id);
  expect(await statusOf(id)).toBe("rejected");
  const dropped = (line: Record<string, unknown>) =>
    line["userIntentId"] === id && line["msg"] === "a screening result came too late and was dropped";
  await expect.poll(() => readLog().filter(dropped)).toHaveLength(1);
});

test("two workers never ask about one person concurrently", async () => {
  let active = 0;
  let most = 0;
  const { promise: isAsked, resolve: onAsked } = Promise.withResolvers<void>();
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
  provider.answer = async () => {
    most = Math.max(most, ++active);
    onAsked();
    await mayAnswer;
    active -= 1;
    return { kind: "approved" };
  };
  const { id } = await createIntent(client);
  const first = pollNow(id);
  await isAsked;
  // A worker keeps its lease for as long as a call may take.
  expect((await rowOf(id))?.leasedUntilRealAt?.getTime()).toBeGreaterThan(Date.now() + 25_000);
  // The other workers find nothing due, so they don't keep polling.
  expect(await Promise.all([screenDuePeople(provider), screenDuePeople(provider)])).toEqual([undefined, undefined]);
  letAnswer();
  await first;
  expect([most, provider.questions.length]).toEqual([1, 1]);
  expect(await statusOf(id)).toBe("approved");
});

test.each(["retry", "document"] as const)(
  "a submission in status %s is checked with the user's own details",
  async (status) => {
    const phone = newPhone();
    const earlier = await createIntent(client, personDetails({ phone, first_name: "Typo", address1: "1 Old Street" }));
    const own = personDetails({ phone, first_name: "Marta", address1: "2 New Street" });
    const { id } = await createIntent(client, own);
    provider.answer = async ({ kind }) => ({ kind: kind === "identity" ? status : "approved" });
    await pollNow(id);
    const key = await openTestVisit(client, { userIntentId: id, phone, email: own.email });
    await openTestVisit(client, { userIntentId: earlier.id, phone, email: own.email });
    const correction = { dateOfBirth: "12/24/1985", ssn: "587-65-4321" };
    const sent = status === "retry" ? correctIdentity(key, correction) : uploadPhotoId(key, testPhotoId);
    expect(await sent).toEqual({ kind: "sent" });
    await pollNow(id);
    expect(provider.questions.at(-1)?.person).toMatchObject({ first_name: "Marta", address1: "2 New Street" });
    expect([await statusOf(id), await statusOf(earlier.id)]).toEqual(["approved", "approved"]);
  },
);

test("a worker that gets a late answer doesn't release a later question that another worker asks", async () => {
  const details = personDetails({ phone: newPhone() });
  const { id } = await createIntent(client, details);
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
  const { promise: mayAnswerCorrection, resolve: letAnswerCorrection } = Promise.withResolvers<void>();
  provider.answer = async ({ kind }) => {
    await (kind === "correction" ? mayAnswerCorrection : mayAnswer);
    return { kind: "approved" };
  };
  const first = pollNow(id);
  await expect.poll(() => provider.questions.length).toBe(1);
  await decideUserIntent({ id, clientId: client.clientId }, { status: "retry", rejectionReasons: [] });
  const key = await openTestVisit(client, { userIntentId: id, phone: details.phone, email: details.email });
  expect(await correctIdentity(key, { dateOfBirth: "12/24/1985", ssn: "587-65-4321" })).toEqual({ kind: "sent" });
  const correction = pollNow(id);
  await expect.poll(() => provider.questions.length).toBe(2);
  letAnswer();
  await first;
  expect(await screenDuePeople(provider)).toBeUndefined();
  letAnswerCorrection();
  await correction;
  expect(provider.questions.map(({ kind }) => kind)).toEqual(["identity", "correction"]);
  expect(await statusOf(id)).toBe("approved");
});

test.each([
  ["throws", async () => Promise.reject(new Error("Marta Quay at 203.0.113.9 is not known"))],
  ["returns an unknown answer", async () => ({ kind: "clear" }) as unknown as ScreeningAnswer],
])("a provider that %s is retried with the same id, and doesn't delay others", async (_name, fail) => {
  const before = await countProviderCalls(client, "screening");
  const [broken, sound] = [await createIntent(client), await createIntent(client)];
  provider.answer = (question) => (question.id === broken.id ? fail() : Promise.resolve({ kind: "approved" as const }));
  await servicePool().query("update screenings set due_real_at = now()");
  await screenDuePeople(provider);
  expect([await statusOf(broken.id), await statusOf(sound.id)]).toEqual(["pending", "approved"]);
  expect(await quarantined("screening")).toBe(1);
  provider.answer = async () => ({ kind: "approved" });
  await pollNow(broken.id);
  expect(await statusOf(broken.id)).toBe("approved");
  expect(provider.questions.filter(({ id }) => id === broken.id)).toHaveLength(2);
  const { answered, failed } = await countProviderCalls(client, "screening");
  expect([answered - before.answered, failed - before.failed]).toEqual([2, 1]);
});

test("the provider's error leaks no personal data to the log or the quarantine", async () => {
  const details = personDetails({ phone: newPhone(), ssn: "519014321" });
  const { id } = await createIntent(client, details);
  provider.answer = async ({ person }) => Promise.reject(new Error(`no match: ${JSON.stringify(person)}`));
  await pollNow(id);
  const { rows } = await servicePool().query("select reason from quarantine where id = $1", [id]);
  expect(rows[0]?.reason).toMatch(/^provider: no match: /);
  const failed = () => readLog().filter((line) => line["userIntentId"] === id);
  await expect.poll(failed).toHaveLength(1);
  const written = JSON.stringify([rows, failed()]);
  for (const value of [details.ssn, details.email, details.last_name, details.address1, details.date_of_birth]) {
    expect(written).not.toContain(value);
  }
});

test("an invalid status change is left to an operator", async () => {
  const { id } = await createIntent(client);
  await decideUserIntent({ id, clientId: client.clientId }, { status: "document", rejectionReasons: [] });
  await servicePool().query("insert into screenings (user_intent_id, client_id, due_real_at) values ($1, $2, now())", [
    id,
    client.clientId,
  ]);
  provider.answer = async () => ({ kind: "retry" });
  await pollNow(id);
  expect(await statusOf(id)).toBe("document");
  expect(await rowOf(id)).toBeUndefined();
  const warned = () => readLog().filter((line) => String(line["msg"]).startsWith("a screening result doesn't fit"));
  await expect.poll(warned).toHaveLength(1);
});

test("a second correction request leaves the person to an operator", async () => {
  provider.answer = async () => ({ kind: "retry" });
  const details = personDetails({ phone: newPhone() });
  const { id } = await createIntent(client, details);
  await pollNow(id);
  const key = await openTestVisit(client, { userIntentId: id, phone: details.phone, email: details.email });
  await correctIdentity(key, { dateOfBirth: "1985-12-24", ssn: "587654321" });
  await pollNow(id);
  expect([await rowOf(id), (await readVisit(key)).kind]).toEqual([undefined, "consent"]);
  const warned = (line: Record<string, unknown>) =>
    line["userIntentId"] === id && String(line["msg"]).startsWith("a screening result doesn't fit");
  await expect.poll(() => readLog().filter(warned)).toHaveLength(1);
});

test("an undecided result leaves the person to an operator", async () => {
  provider.answer = async () => ({ kind: "undecided" });
  const { id } = await createIntent(client);
  workers = [startScreening()];
  await servicePool().query("update screenings set due_real_at = now()");
  for (const worker of workers) worker.wake();
  await expect.poll(() => rowOf(id)).toBeUndefined();
  expect(await statusOf(id)).toBe("pending");
});

test("a slow call to the provider delays no other person", async () => {
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
  const slow = await createIntent(client);
  provider.answer = async ({ id }) => {
    if (id === slow.id) await mayAnswer;
    return { kind: "approved" };
  };
  const worker = startScreening();
  workers = [worker];
  const makeDue = async () => {
    await servicePool().query("update screenings set due_real_at = now()");
    worker.wake();
  };
  await makeDue();
  await expect.poll(() => provider.questions).toHaveLength(1);
  const quick = await createIntent(client);
  await makeDue();
  await expect.poll(() => statusOf(quick.id)).toBe("approved");
  // The slow call hasn't timed out.
  expect(await quarantined("screening")).toBe(0);
  letAnswer();
  await expect.poll(() => statusOf(slow.id)).toBe("approved");
});

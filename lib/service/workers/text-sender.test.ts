import { eq } from "drizzle-orm";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import type { OutgoingText, SendOutcome, SendText } from "../../contract/providers.ts";
import { logToFile } from "../../kit/testing/log-file.ts";
import { quickestMs } from "../../kit/testing/quickest.ts";
import type { WakeLoop } from "../../kit/wake-loop.ts";
import { cancelVisit } from "../operations/visits/finish-visit.ts";
import type { VisitKey } from "../operations/visits/read-visit.ts";
import { resendVerificationCode, verifyCode } from "../operations/visits/verify-code.ts";
import { chooseProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { database, servicePool } from "../storage/database.ts";
import { messages } from "../storage/schema.ts";
import { advanceClock, createTestClient } from "../testing/clients.ts";
import { insertTestUser } from "../testing/people.ts";
import { openTestVisit, readTestCodes } from "../testing/visits.ts";
import { startTextSender } from "./start-workers.ts";

const readLog = logToFile();
// As in production: texts wait for a carrier.
beforeAll(() => chooseProviders({ ...sandboxProviders, showsTexts: false }));

let senders: WakeLoop[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(senders.map((sender) => sender.stop()));
  senders = [];
});

/** A carrier that records its texts and gives these answers; the last one repeats. */
function carrierThat(...answers: ((text: OutgoingText, signal: AbortSignal) => Promise<SendOutcome>)[]) {
  const received: OutgoingText[] = [];
  const send: SendText = (text, { signal }) => {
    received.push(text);
    const answer = answers[Math.min(received.length, answers.length) - 1] ?? accept;
    return answer(text, signal);
  };
  return { received, send };
}
const accept = async ({ id }: OutgoingText): Promise<SendOutcome> => ({ kind: "sent", reference: `sms-${id}` });

/** Opens a visit without trusted authentication, which texts a code. */
async function textCode(): Promise<{ phone: string; clientId: string }> {
  const client = await createTestClient();
  const person = await insertTestUser(client);
  await openTestVisit(client, person, { loggedInSecondsAgo: 40 * 24 * 3600 });
  return { phone: person.phone, clientId: client.clientId };
}

const rowOf = async (phone: string) =>
  (await database().select().from(messages).where(eq(messages.phone, phone)))[0] ?? expect.fail("no text");

/** Ends the pause before the next attempt. */
async function passPause(phone: string): Promise<void> {
  await servicePool().query("update messages set next_attempt_real_at = now() where phone = $1", [phone]);
  for (const sender of senders) sender.wake();
}

test("a sender woken by a notification, not the poll, hands a code to the carrier and keeps its reference", async () => {
  const { received, send } = carrierThat(accept);
  senders = [startTextSender(send)];
  let phone = "";
  const text = async () => {
    ({ phone } = await textCode());
    await expect.poll(async () => (await rowOf(phone)).outcome).toBe("sent");
  };
  expect(await quickestMs(4500, text)).toBeLessThan(4500);
  const { id, carrierReference, attempts, nextAttemptRealAt } = await rowOf(phone);
  expect(received.at(-1)).toEqual({ id, to: phone, text: expect.stringMatching(/^Plainbook: \d{6} is your code /) });
  expect({ carrierReference, attempts, nextAttemptRealAt }).toEqual({
    carrierReference: `sms-${id}`,
    attempts: 1,
    nextAttemptRealAt: null,
  });
});

test("a stopping sender keeps the outcome of a text that the carrier has, so that it isn't sent twice", async () => {
  const carrier = Promise.withResolvers<SendOutcome>();
  const { received, send } = carrierThat(() => carrier.promise);
  const sender = startTextSender(send);
  const { phone } = await textCode();
  await expect.poll(() => received).toHaveLength(1);
  // Later than anything else that a stop waits for.
  setTimeout(() => carrier.resolve({ kind: "sent" }), 500);
  await sender.stop();
  expect(await rowOf(phone)).toMatchObject({ outcome: "sent" });
});

test("only one of two senders sends each text", async () => {
  const { received, send } = carrierThat(accept);
  const people = await Promise.all(Array.from({ length: 30 }, textCode));
  senders = [startTextSender(send), startTextSender(send)];
  for (const { phone } of people) await expect.poll(async () => (await rowOf(phone)).outcome).toBe("sent");
  expect(received.map(({ to }) => to).sort()).toEqual(people.map(({ phone }) => phone).sort());
});

test.each([
  ["throws", async () => Promise.reject(new Error("busy"))],
  ["returns an unknown outcome", async () => ({ status: "queued" }) as unknown as SendOutcome],
])("a carrier that %s is retried with the same id, after growing pauses", async (_name, fail) => {
  const { received, send } = carrierThat(fail, fail, fail, accept);
  senders = [startTextSender(send)];
  const { phone } = await textCode();
  const pauses: number[] = [];
  for (const attempts of [1, 2, 3]) {
    await expect.poll(() => received.filter(({ to }) => to === phone).length).toBe(attempts);
    const { nextAttemptRealAt } = await rowOf(phone);
    pauses.push(Math.round(((nextAttemptRealAt?.getTime() ?? 0) - Date.now()) / 1000));
    await passPause(phone);
  }
  expect(pauses).toEqual([expect.closeTo(15, -0.5), expect.closeTo(30, -0.5), expect.closeTo(60, -0.5)]);
  await expect.poll(async () => (await rowOf(phone)).outcome).toBe("sent");
  expect(new Set(received.map(({ id }) => id)).size).toBe(1);
});

test("a call to a silent carrier times out after 10 s, and doesn't delay later texts", async () => {
  const limits: number[] = [];
  const endAfter = AbortSignal.timeout;
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    limits.push(ms);
    return endAfter.call(AbortSignal, 20);
  });
  const { received, send } = carrierThat((text) =>
    text.to === received[0]?.to ? new Promise(() => {}) : accept(text),
  );
  senders = [startTextSender(send)];
  const hanging = await textCode();
  await expect.poll(() => received).toHaveLength(1);
  const { phone } = await textCode();
  await expect.poll(async () => (await rowOf(phone)).outcome).toBe("sent");
  expect(new Set(limits)).toEqual(new Set([10_000]));
  expect((await rowOf(hanging.phone)).outcome).toBe("waiting");
});

test("a text whose call hangs delays no other, and its late answer counts", async () => {
  const late = Promise.withResolvers<SendOutcome>();
  let hangingCall: AbortSignal | undefined;
  const { received, send } = carrierThat((_text, signal) => {
    hangingCall = signal;
    return late.promise;
  }, accept);
  senders = [startTextSender(send)];
  const hanging = await textCode();
  await expect.poll(() => received).toHaveLength(1);
  const { phone } = await textCode();
  await expect.poll(async () => (await rowOf(phone)).outcome).toBe("sent");
  expect(hangingCall?.aborted).toBe(false);
  late.resolve({ kind: "sent" });
  await Promise.all(senders.map((sender) => sender.stop()));
  expect((await rowOf(hanging.phone)).outcome).toBe("sent");
});

test("a text refused by the carrier isn't retried", async () => {
  const { received, send } = carrierThat(async () => ({ kind: "refused", reason: "a landline" }));
  senders = [startTextSender(send)];
  const { phone } = await textCode();
  await expect.poll(async () => (await rowOf(phone)).outcome).toBe("refused");
  expect(received).toHaveLength(1);
});

test("an expired code is not sent", async () => {
  const { phone } = await textCode();
  await servicePool().query("update messages set ends_real_at = now() where phone = $1", [phone]);
  const { received, send } = carrierThat(accept);
  senders = [startTextSender(send)];
  await expect.poll(async () => (await rowOf(phone)).outcome).toBe("expired");
  expect(received).toEqual([]);
});

test.each([
  ["replaced", resendVerificationCode, 1],
  ["used", verifyCode, 0],
  ["void because its visit is cancelled", cancelVisit, 0],
] as const)("a waiting text isn't sent once its code is %s", async (_when, act, newTexts) => {
  const client = await createTestClient();
  const [person, other] = [await insertTestUser(client), await insertTestUser(client)];
  const untrusted = { loggedInSecondsAgo: 40 * 24 * 3600 };
  const key = await openTestVisit(client, person, untrusted);
  const [code = ""] = await readTestCodes(client, person.phone);
  // The texts of other visits are unaffected.
  await openTestVisit(client, other, untrusted);
  await openTestVisit(client, person, untrusted);
  await advanceClock(client, 30);
  await (act as (key: VisitKey, code: string) => Promise<unknown>)(key, code);
  const { received, send } = carrierThat(accept);
  senders = [startTextSender(send)];
  const rows = () => database().select().from(messages).where(eq(messages.clientId, client.clientId));
  await expect.poll(async () => (await rows()).filter(({ outcome }) => outcome === "waiting")).toEqual([]);
  expect(received.filter(({ text }) => text.includes(code))).toEqual([]);
  expect(received).toHaveLength(2 + newTexts);
});

test("a text whose time ends during its call counts as sent if the carrier says so", async () => {
  const late = Promise.withResolvers<SendOutcome>();
  const { received, send } = carrierThat(() => late.promise);
  const sender = startTextSender(send);
  senders = [sender];
  const { phone } = await textCode();
  await expect.poll(() => received.length).toBe(1);
  await servicePool().query("update messages set ends_real_at = now() where phone = $1", [phone]);
  sender.wake();
  await expect.poll(async () => (await rowOf(phone)).outcome).toBe("expired");
  late.resolve({ kind: "sent", reference: "sms-1" });
  await expect.poll(async () => (await rowOf(phone)).outcome).toBe("sent");
  expect((await rowOf(phone)).carrierReference).toBe("sms-1");
});

test("a text that can't be decrypted doesn't delay others", async () => {
  const broken = await textCode();
  await database().update(messages).set({ textEncrypted: "" }).where(eq(messages.phone, broken.phone));
  const { received, send } = carrierThat(accept);
  senders = [startTextSender(send)];
  const sound = await textCode();
  await expect.poll(async () => (await rowOf(sound.phone)).outcome).toBe("sent");
  expect(received.map(({ to }) => to)).toEqual([sound.phone]);
  expect((await rowOf(broken.phone)).outcome).toBe("waiting");
});

test("no code or phone reaches the log, even if the carrier's error repeats them", async () => {
  const { send } = carrierThat(async ({ to, text }) => Promise.reject(new Error(`cannot send ${text} to ${to}`)));
  senders = [startTextSender(send)];
  const { phone } = await textCode();
  const lines = () => readLog().filter(({ msg }) => msg === "a message could not be sent and will be retried");
  const { id } = await rowOf(phone);
  await expect.poll(() => lines().filter((line) => line["id"] === id)).toHaveLength(1);
  const [line] = lines().filter((each) => each["id"] === id);
  expect(line?.["reason"]).toMatch(/^cannot send Plainbook: … is your code /);
  expect(JSON.stringify(lines())).not.toContain(phone.slice(2));
});

import { randomBytes, randomUUID } from "node:crypto";
import { limits } from "../lib/contract/limits.ts";
import {
  type PhotoIdStorage,
  type ProviderCall,
  type ProviderModule,
  type ReadCallback,
  requireAnswer,
  type ScreeningAnswer,
  type ScreeningQuestion,
  type SettledAccount,
  type SettlementAnswer,
  screeningAnswer,
  sendOutcome,
  settlementAnswer,
} from "../lib/contract/providers.ts";
import { callWithin } from "../lib/kit/call-within.ts";
import { sentenceOf } from "../lib/kit/describe-error.ts";

/** `problem` is undefined if the provider keeps the rule. */
export type ProviderFinding = { rule: string; problem: string | undefined };

/** Where test messages go. */
export type Recipients = { phone: string; email: string };

const person = {
  first_name: "Test",
  last_name: "Person",
  date_of_birth: "1990-01-31",
  ssn: "123456789",
  address1: "12 Quay Street",
  city: "Portland",
  state: "OR" as const,
  postal_code: "97201",
  ip_address: "203.0.113.7",
};

// Accounts that no provider knows.
const order = {
  clientId: "providers-check",
  amountCents: 1,
  source: accountOf("operating", "Test Business"),
  destination: accountOf("wallet", "Test Person"),
};

function accountOf(type: SettledAccount["type"], holder: string): SettledAccount {
  return { id: randomUUID(), userId: randomUUID(), holder, type, mask: "0000" };
}

/** Calls each function of a module as the apps do (Decision D24), with a test person, and judges the results. */
export async function checkProviders(
  { sendText, sendEmail, screening, settlement, photoIds, ...others }: ProviderModule,
  { phone, email }: Recipients,
  timeouts = { sendMs: 10_000, askMs: 20_000 },
): Promise<ProviderFinding[]> {
  // Every new provider needs its checks here, so that none is skipped silently.
  others satisfies Record<string, never>;
  const findings: ProviderFinding[] = [];
  const check = async (rule: string, judge: () => Promise<string | undefined>) => {
    findings.push({ rule, problem: await judge().catch(sentenceOf) });
  };

  async function checkCalls<Answer>(
    name: string,
    timeoutMs: number,
    call: (id: string, options: ProviderCall) => Promise<unknown>,
    { read, identify }: { read: (answer: unknown) => Answer; identify: (answer: Answer) => string },
  ): Promise<{ id: string; answer: Answer } | undefined> {
    const id = randomUUID();
    const callOnce = async () => read(await callWithin(timeoutMs, (options) => call(id, options)));
    let first: Answer | undefined;
    await check(`${name} returns a readable result within ${timeoutMs / 1000} s`, async () => {
      first = await callOnce();
      return undefined;
    });
    if (first === undefined) return undefined;
    const before = identify(first);
    await check(`${name} processes each id once`, async () => {
      const [second, third] = await Promise.all([callOnce(), callOnce()]);
      const different = [second, third].map(identify).find((answer) => answer !== before);
      return different && `The same id returned ${before}, then ${different}.`;
    });
    await checkAbort(name, (options) => call(randomUUID(), options));
    return { id, answer: first };
  }

  const checkAbort = (name: string, call: (options: ProviderCall) => Promise<unknown>) =>
    check(`${name} stops when its signal is aborted`, () =>
      callWithin(1000, () => call({ signal: AbortSignal.abort() })).then(
        () => "It returned although its signal was aborted.",
        (error: unknown) =>
          sentenceOf(error).startsWith("There was no answer") ? "It kept running for 1 s." : undefined,
      ),
    );

  async function checkPoll(
    name: string,
    answered: { id: string; answer: ScreeningAnswer | SettlementAnswer } | undefined,
    poll: (pending: { id: string; reference: string }, call: ProviderCall) => Promise<unknown>,
    read: (answer: unknown) => unknown,
  ): Promise<void> {
    if (answered?.answer.kind !== "pending") return;
    const pending = { id: answered.id, reference: answered.answer.reference };
    await check(`${name}.poll returns a readable result within ${timeouts.askMs / 1000} s`, async () => {
      read(await callWithin(timeouts.askMs, (call) => poll(pending, call)));
      return undefined;
    });
  }

  async function checkCallback(name: string, provider: { readCallback?: ReadCallback<unknown> }): Promise<void> {
    if (!provider.readCallback) return;
    await check(`${name}.readCallback rejects an unknown sender`, async () => {
      const callback = { headers: new Headers(), body: new TextEncoder().encode("{}") };
      const results = await callWithin(timeouts.sendMs, async (call) => provider.readCallback?.(callback, call));
      return results && "It read results from a request without a signature.";
    });
  }

  const outcome = {
    read: (answer: unknown) => requireAnswer(sendOutcome, answer),
    identify: (answer: ReturnType<typeof sendOutcome.parse>) => JSON.stringify(answer),
  };
  const screeningResult = {
    read: (answer: unknown) => requireAnswer(screeningAnswer, answer),
    identify: (answer: ReturnType<typeof screeningAnswer.parse>) => JSON.stringify(answer),
  };
  if (sendText) {
    const text = "A test of this provider. You don't need to do anything.";
    await checkCalls("sendText", timeouts.sendMs, (id, call) => sendText({ id, to: phone, text }, call), outcome);
  }
  if (sendEmail) {
    const words = { subject: "A test", text: "A test of this provider. You don't need to do anything." };
    await checkCalls("sendEmail", timeouts.sendMs, (id, call) => sendEmail({ id, to: email, ...words }, call), outcome);
  }
  if (screening) {
    const question = (id: string): ScreeningQuestion => ({ id, kind: "identity", person: { ...person, phone, email } });
    const answered = await checkCalls(
      "screening.ask",
      timeouts.askMs,
      (id, call) => screening.ask(question(id), call),
      screeningResult,
    );
    await checkPoll("screening", answered, (pending, call) => screening.poll(pending, call), screeningResult.read);
    await checkCallback("screening", screening);
  }
  if (settlement) {
    const read = (answer: unknown) => requireAnswer(settlementAnswer, answer);
    const answered = await checkCalls(
      "settlement.order",
      timeouts.askMs,
      (id, call) => settlement.order({ ...order, id }, call),
      { read, identify: (answer) => JSON.stringify(answer) },
    );
    await checkPoll("settlement", answered, (pending, call) => settlement.poll(pending, call), read);
    await checkCallback("settlement", settlement);
  }
  if (photoIds) await checkPhotoIds(photoIds, { timeoutMs: timeouts.sendMs, check, checkAbort });
  return findings;
}

type PhotoIdChecks = {
  timeoutMs: number;
  check: (rule: string, judge: () => Promise<string | undefined>) => Promise<void>;
  checkAbort: (name: string, call: (options: ProviderCall) => Promise<unknown>) => Promise<void>;
};

async function checkPhotoIds(storage: PhotoIdStorage, { timeoutMs, check, checkAbort }: PhotoIdChecks): Promise<void> {
  // As large as the largest photo ID once encrypted.
  const photo = { id: randomUUID(), content: randomBytes((limits.photoIdFormBytesMax * 4) / 3) };
  const put = () => callWithin(timeoutMs, (call) => storage.put(photo, call));
  const get = (id: string) => callWithin(timeoutMs, (call) => storage.get({ id }, call));
  const remove = () => callWithin(timeoutMs, (call) => storage.delete(photo, call));
  const seconds = `${timeoutMs / 1000} s`;
  const findDifference = async () => {
    const stored: unknown = await get(photo.id);
    if (!(stored instanceof Uint8Array))
      return `It returned ${stored === undefined ? "undefined" : "something other than a Uint8Array"}.`;
    return photo.content.equals(stored) ? undefined : "It returned different bytes than were stored.";
  };
  const findLeftover = async () =>
    (await get(photo.id)) === undefined ? undefined : "photoIds.get still returns the photo.";
  await check(`photoIds.put and photoIds.get take ${seconds} at most, and return what was stored`, async () => {
    await put();
    return findDifference();
  });
  await check("photoIds.put can store the same id again", async () => {
    await Promise.all([put(), put()]);
    return findDifference();
  });
  await check("photoIds.get returns undefined for an unknown id", async () =>
    (await get(randomUUID())) === undefined ? undefined : "It returned something.",
  );
  await check(`photoIds.delete takes ${seconds} at most, and removes the photo`, async () => {
    await remove();
    return findLeftover();
  });
  await check("photoIds.delete can delete the same id again", async () => {
    await Promise.all([remove(), remove()]);
    return findLeftover();
  });
  await checkAbort("photoIds.put", (call) => storage.put({ id: randomUUID(), content: photo.content }, call));
  await checkAbort("photoIds.get", (call) => storage.get(photo, call));
  await checkAbort("photoIds.delete", (call) => storage.delete(photo, call));
}

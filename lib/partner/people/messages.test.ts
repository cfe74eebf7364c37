import { afterEach, expect, test } from "vitest";
import type { OutgoingEmail, OutgoingText } from "../../contract/providers.ts";
import { newIdAt } from "../../kit/ids.ts";
import { outboxMetrics } from "../../kit/outbox.ts";
import { logToFile } from "../../kit/testing/log-file.ts";
import { newTraceId } from "../../kit/trace.ts";
import { startPartnerWorker } from "../jobs/start-worker.ts";
import { withinAction } from "../requests/current-action.ts";
import { partnerWith } from "../testing/partner-with.ts";
import { createPerson, newRegistration } from "../testing/people.ts";
import { openChallenge, resendCode } from "./challenge.ts";
import { completeSignIn, sendPhoneProof } from "./complete-sign-in.ts";
import { longCodeMessage } from "./long-code.ts";
import { listMessages, sendMessage } from "./messages.ts";
import { changeSignUp, startSignUp } from "./start-sign-up.ts";

const outsideSandbox = {
  PARTNER_SANDBOX: "off",
  PARTNER_CLIENT_ID: "harbor",
  PARTNER_CLIENT_SECRET: "own client secret",
  PARTNER_CUSTOMER_ENDPOINT_SECRET: "own endpoint secret",
  PARTNER_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
  PARTNER_ENCRYPTION_KEYS: `own-1:${Buffer.alloc(32, 7).toString("base64")}`,
  PARTNER_SESSION_SECRET: "an own session secret of 32 characters",
};

const readLog = logToFile();

const workers: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

test("outside a sandbox one of two workers hands a code to the carrier, at once: an email, then a text", async () => {
  const emails: OutgoingEmail[] = [];
  const texts: OutgoingText[] = [];
  const partner = partnerWith(outsideSandbox);
  const connected = {
    ...partner,
    providers: {
      sendEmail: async (email: OutgoingEmail) => {
        emails.push(email);
        return { kind: "sent" as const };
      },
      sendText: async (text: OutgoingText) => {
        texts.push(text);
        return { kind: "sent" as const };
      },
    },
  };
  workers.push(await startPartnerWorker(connected), await startPartnerWorker(connected));
  const registration = newRegistration();
  const source = { clientAddress: "198.51.100.7", knownDevices: [] };
  const started = await startSignUp(partner, registration, source);
  if (started.kind !== "challenged") throw new Error(started.kind);
  const outcomes = async () =>
    (await partner.pool.query("select outcome from messages where challenge_id = $1", [started.key.id])).rows;
  const waitMs = async (sent: number) => {
    const startedAt = performance.now();
    await expect.poll(outcomes).toEqual(Array.from({ length: sent }, () => ({ outcome: "sent" })));
    return performance.now() - startedAt;
  };
  const emailMs = await waitMs(1);
  const text = expect.stringMatching(/ code is \d{6}\. /);
  const subject = "Your code for Harbor";
  expect(emails).toEqual([{ id: expect.any(String), to: registration.email, subject, text }]);
  const [code = ""] = /\d{6}/.exec(emails[0]?.text ?? "") ?? [];
  await completeSignIn(partner, started.key, code, source, "email");
  expect(emailMs + (await waitMs(2))).toBeLessThan(4500);
  expect(texts).toEqual([{ id: expect.any(String), to: registration.phone, text }]);
  expect(emails).toHaveLength(1);
});

test("no code or email address reaches the log, even if the carrier's error repeats them", async () => {
  const partner = partnerWith(outsideSandbox);
  const sendEmail = ({ to, text }: OutgoingEmail) => Promise.reject(new Error(`cannot send ${text} to <${to}>`));
  const sendText = () => Promise.reject(new Error("no texts"));
  workers.push(await startPartnerWorker({ ...partner, providers: { sendEmail, sendText } }));
  const registration = newRegistration();
  await startSignUp(partner, registration, { clientAddress: "198.51.100.9" });
  const { rows } = await partner.pool.query("select id from messages where email = $1", [registration.email]);
  const failures = () => readLog().filter((line) => line["id"] === rows[0].id);
  await expect.poll(failures).toHaveLength(1);
  expect(failures()[0]?.["reason"]).toMatch(/^cannot send Your Harbor code is …\. /);
  expect(JSON.stringify(readLog())).not.toContain(registration.email);
});

test("metrics say how many messages wait for a carrier, and for how long", async () => {
  const partner = partnerWith(outsideSandbox);
  await partner.pool.query("delete from messages");
  const read = () => outboxMetrics("partner", { pool: partner.pool, table: "messages" });
  expect(await read()).toMatch(/_waiting\{app="partner"\} 0\n[\s\S]*_oldest_seconds\{app="partner"\} 0\n/);
  await startSignUp(partner, newRegistration(), { clientAddress: "198.51.100.10" });
  const earlier = newIdAt(new Date(Date.now() - 90_000));
  await partner.pool.query("update messages set id = $1", [earlier]);
  await startSignUp(partner, newRegistration(), { clientAddress: "198.51.100.10" });
  expect(await read()).toMatch(/_waiting\{app="partner"\} 2\n[\s\S]*_oldest_seconds\{app="partner"\} 9\d\./);
  await partner.pool.query("update messages set outcome = 'sent', next_attempt_real_at = null where id = $1", [
    earlier,
  ]);
  expect(await read()).toMatch(/_waiting\{app="partner"\} 1\n[\s\S]*_oldest_seconds\{app="partner"\} \d\./);
});

test("in a sandbox no message waits for a carrier", async () => {
  const partner = partnerWith();
  const registration = newRegistration();
  await startSignUp(partner, registration, { clientAddress: "198.51.100.8" });
  const { rows } = await partner.pool.query("select outcome from messages where email = $1", [registration.email]);
  expect(rows).toEqual([{ outcome: "shown" }]);
});

test("texts a code only until it expires: ten minutes, or six hours for a long one", async () => {
  const partner = partnerWith(outsideSandbox);
  const { phone, email } = await createPerson();
  await startSignUp(partner, newRegistration({ email }), { clientAddress: "198.51.100.11" });
  const registration = newRegistration();
  await startSignUp(partner, registration, { clientAddress: "198.51.100.11" });
  const { key } = await openChallenge(partner, { kind: "phone_first", phone });
  await sendPhoneProof(partner, email, key);
  const { rows } = await partner.pool.query(
    `select array_position($1, coalesce(email, phone)) as to, ends_real_at > now() + interval '5 minutes' as is_young,
      ceil(extract(epoch from ends_real_at - now()) / 600)::int as tens from messages
      where coalesce(email, phone) = any ($1) order by 1`,
    [[email, registration.email, phone]],
  );
  expect(rows).toEqual([
    { to: 1, is_young: true, tens: 1 },
    { to: 2, is_young: true, tens: 1 },
    { to: 3, is_young: true, tens: 36 },
  ]);
});

test("a code that was replaced, used or dropped no longer waits for a carrier", async () => {
  const partner = partnerWith(outsideSandbox);
  const source = { clientAddress: "198.51.100.12", knownDevices: [] };
  const registration = newRegistration();
  const started = await startSignUp(partner, registration, source);
  if (started.kind !== "challenged") throw new Error(started.kind);
  const outcomesOf = async (id: string) =>
    (await partner.pool.query("select outcome from messages where challenge_id = $1 order by id", [id])).rows.map(
      ({ outcome }) => outcome,
    );
  const newestCode = async (id: string) =>
    /\d{6}/.exec((await listMessages(partner, id)).at(-1)?.text ?? "")?.[0] ?? "";
  const { id } = started.key;

  await partner.pool.query("update sign_in_challenges set code_sent_real_at = to_timestamp(0) where id = $1", [id]);
  expect(await resendCode(partner, started.key)).toBe("sent");
  expect(await outcomesOf(id)).toEqual(["expired", "waiting"]);

  await completeSignIn(partner, started.key, await newestCode(id), source, "email");
  expect(await outcomesOf(id)).toEqual(["expired", "expired", "waiting"]);

  const changed = await changeSignUp(partner, started.key, { phone: newRegistration().phone }, source);
  if (changed.kind !== "challenged") throw new Error(changed.kind);
  expect(await outcomesOf(id)).toEqual(["expired", "expired", "expired"]);

  const { key } = changed;
  expect(await outcomesOf(key.id)).toEqual(["waiting"]);
  await completeSignIn(partner, key, "000000", source);
  expect(await outcomesOf(key.id)).toEqual(["waiting"]);
  expect(await completeSignIn(partner, key, await newestCode(key.id), source)).toMatchObject({ kind: "signed_in" });
  expect(await outcomesOf(key.id)).toEqual(["expired"]);
});

test("a sandbox's phone shows the ten newest messages of its sign-in, the newest last", async () => {
  const partner = partnerWith();
  const { phone } = newRegistration();
  const { key } = await openChallenge(partner, { kind: "phone_first", phone });
  const other = await openChallenge(partner, { kind: "phone_first", phone });
  for (let at = 1; at <= 12; at++) {
    for (const { id } of [key, other.key]) {
      const content = { subject: "", text: `${at} of ${id}`, endsInSeconds: 60 };
      await sendMessage(partner, partner.db, { to: { phone }, content, challengeId: id });
    }
  }
  const shown = (await listMessages(partner, key.id)).map(({ text }) => text);
  expect(shown).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((at) => `${at} of ${key.id}`));
});

test("the longer code's message is in the reader's language", () => {
  const action = { traceId: newTraceId(), cause: "a test", locale: "es-US" } as const;
  const { subject, text } = withinAction(action, () => longCodeMessage("0123456789"));
  expect(subject).toMatch(/^Su código más largo/);
  expect(text).toContain("01234 56789");
});

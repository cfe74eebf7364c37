import { expect, test } from "vitest";
import { wrongCodeFor } from "../../kit/testing/verification-codes.ts";
import { partner } from "../process-partner.ts";
import { problemsOf } from "../requests/form-state.ts";
import { createPerson, newRegistration, readCode, readLongCode } from "../testing/people.ts";
import type { ChallengeKey } from "./challenge.ts";
import { resendCode } from "./challenge.ts";
import { completeSignIn } from "./complete-sign-in.ts";
import { listMessages } from "./messages.ts";
import { signInFields } from "./sign-in-fields.ts";
import { startSignIn } from "./start-sign-in.ts";

const { password } = newRegistration();
let addresses = 0;

/** A new address for each attempt, so tests don't share limits. */
function newSource() {
  return { clientAddress: `192.0.2.${++addresses}`, knownDevices: [] };
}

async function challengeOf(email: string): Promise<ChallengeKey> {
  const started = await startSignIn(partner(), { email, password }, newSource());
  if (started.kind !== "challenged") throw new Error(started.kind);
  return started.key;
}

/** Moves a challenge's times into the past. */
async function age({ id }: ChallengeKey, column: "code_expires_at" | "code_sent_real_at", interval: string) {
  await partner().pool.query(`update sign_in_challenges set ${column} = ${column} - $2::interval where id = $1`, [
    id,
    interval,
  ]);
}

test("signs in with password and code, and that moment is the last authentication", async () => {
  const person = await createPerson();
  const key = await challengeOf(person.email);
  const completed = await completeSignIn(partner(), key, await readCode(key), newSource());
  expect(completed).toMatchObject({ kind: "signed_in", person: { id: person.id, role: "seller" } });
  if (completed.kind !== "signed_in") return;
  expect(completed.person.lastAuthenticationAt.getTime()).toBeGreaterThan(person.lastAuthenticationAt.getTime());
});

test("takes the email address in any case, with spaces around it", async () => {
  const person = await createPerson();
  const typed = { email: ` ${person.email.toUpperCase()} `, password, return_to: "" };
  const started = await startSignIn(partner(), signInFields.parse(typed), newSource());
  expect(started.kind).toBe("challenged");
});

test("gives the same answer for a wrong password and an unknown address", async () => {
  const person = await createPerson();
  const wrong = await startSignIn(partner(), { email: person.email, password: "another long password" }, newSource());
  const unknown = await startSignIn(partner(), { email: "unknown@example.com", password }, newSource());
  expect(wrong).toEqual({ kind: "refused" });
  expect(unknown).toEqual(wrong);
});

test("takes the same time for an unknown address as for a wrong password", async () => {
  const person = await createPerson();
  // CPU time, which other work on the machine doesn't affect.
  const timeOf = async (email: string) => {
    const before = process.cpuUsage();
    await startSignIn(partner(), { email, password: "another long password" }, newSource());
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  // Alternating; the minimum of each counts.
  const [unknown, known]: [number[], number[]] = [[], []];
  for (let round = 0; round < 7; round++) {
    unknown.push(await timeOf("unknown@example.com"));
    known.push(await timeOf(person.email));
  }
  const ratio = Math.min(...unknown) / Math.min(...known);
  // Without the decoy it would be below 0.3.
  expect(ratio).toBeGreaterThan(0.6);
});

test("ends a challenge after five wrong codes, even for the right one", async () => {
  const key = await challengeOf((await createPerson()).email);
  const code = await readCode(key);
  for (const triesLeft of [4, 3, 2, 1, 0]) {
    expect(await completeSignIn(partner(), key, wrongCodeFor(code), newSource())).toEqual({
      kind: "wrong_code",
      triesLeft,
    });
  }
  expect(await completeSignIn(partner(), key, code, newSource())).toEqual({ kind: "ended" });
});

test("checks no more than five of twenty wrong codes that arrive together", async () => {
  const key = await challengeOf((await createPerson()).email);
  const wrong = wrongCodeFor(await readCode(key));
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => completeSignIn(partner(), key, wrong, newSource())),
  );
  expect(outcomes.filter(({ kind }) => kind === "wrong_code")).toHaveLength(5);
});

test("accepts a correct code once when twenty arrive together", async () => {
  const key = await challengeOf((await createPerson()).email);
  const code = await readCode(key);
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => completeSignIn(partner(), key, code, newSource())),
  );
  expect(outcomes.filter(({ kind }) => kind === "signed_in")).toHaveLength(1);
});

test("accepts a code for ten minutes", async () => {
  const email = (await createPerson()).email;
  const [inTime, tooLate] = [await challengeOf(email), await challengeOf(email)];
  await age(inTime, "code_expires_at", "9 minutes 55 seconds");
  await age(tooLate, "code_expires_at", "10 minutes");
  expect((await completeSignIn(partner(), inTime, await readCode(inTime), newSource())).kind).toBe("signed_in");
  expect(await completeSignIn(partner(), tooLate, await readCode(tooLate), newSource())).toEqual({ kind: "ended" });
});

test("finds a challenge only with its secret", async () => {
  const key = await challengeOf((await createPerson()).email);
  const code = await readCode(key);
  expect(await completeSignIn(partner(), { ...key, secret: "sic_guessed" }, code, newSource())).toEqual({
    kind: "ended",
  });
  expect((await completeSignIn(partner(), key, code, newSource())).kind).toBe("signed_in");
});

test("sends a new code after 30 seconds, which ends the old one", async () => {
  const key = await challengeOf((await createPerson()).email);
  const first = await readCode(key);
  expect(await resendCode(partner(), key)).toBe("too_soon");
  await age(key, "code_sent_real_at", "31 seconds");
  expect(await resendCode(partner(), key)).toBe("sent");
  const second = await readCode(key);
  if (second !== first) expect((await completeSignIn(partner(), key, first, newSource())).kind).toBe("wrong_code");
  expect((await completeSignIn(partner(), key, second, newSource())).kind).toBe("signed_in");
});

test("refuses the eleventh attempt at one account from one address, with the right password too", async () => {
  const person = await createPerson();
  const from = newSource();
  for (let attempt = 0; attempt < 10; attempt++) {
    await startSignIn(partner(), { email: person.email, password: "another long password" }, from);
  }
  const eleventh = await startSignIn(partner(), { email: person.email, password }, from);
  expect(eleventh).toMatchObject({ kind: "too_many_attempts" });
  if (eleventh.kind === "too_many_attempts") expect(eleventh.retryAfterSeconds).toBeGreaterThan(14 * 60);
  expect((await startSignIn(partner(), { email: person.email, password }, newSource())).kind).toBe("challenged");
});

test("accepts twenty wrong codes a day per person across challenges, then requires the long one", async () => {
  const { email } = await createPerson();
  for (let challenge = 0; challenge < 4; challenge++) {
    const key = await challengeOf(email);
    const wrong = wrongCodeFor(await readCode(key));
    for (let attempt = 0; attempt < 5; attempt++) await completeSignIn(partner(), key, wrong, newSource());
  }
  const key = await challengeOf(email);
  expect(await completeSignIn(partner(), key, await readCode(key), newSource())).toEqual({ kind: "long_code_needed" });
  expect((await completeSignIn(partner(), key, await readLongCode(key), newSource())).kind).toBe("signed_in");
});

test("keeps neither code nor password nor text in the clear", async () => {
  const person = await createPerson();
  const key = await challengeOf(person.email);
  const code = await readCode(key);
  const { rows } = await partner().pool.query(
    `select to_json(c)::text as row from sign_in_challenges c where id = $1
     union all select to_json(m)::text from messages m where challenge_id = $1
     union all select to_json(p)::text from people p where id = $2`,
    [key.id, person.id],
  );
  expect(rows).toHaveLength(3);
  for (const { row } of rows) {
    expect(row).not.toContain(password);
    expect(row).not.toContain("Your Harbor code");
    expect(row).not.toContain(key.secret);
    expect(row).not.toMatch(new RegExp(`\\D${code}\\D`));
  }
});

test("shows a text to its own challenge only", async () => {
  const person = await createPerson();
  const [challenge, otherChallenge] = [await challengeOf(person.email), await challengeOf(person.email)];
  expect(await listMessages(partner(), challenge.id)).toMatchObject([{ kind: "text", subject: null }]);
  expect(await listMessages(partner(), otherChallenge.id)).toHaveLength(1);
});

test("one address can't use up an account's overall limit", async () => {
  const person = await createPerson();
  const from = newSource();
  const attempts = Array.from({ length: 205 }, () =>
    startSignIn(partner(), { email: person.email, password: "another long password" }, from),
  );
  await Promise.all(attempts);
  expect((await startSignIn(partner(), { email: person.email, password }, newSource())).kind).toBe("challenged");
});

test("sends a phone at most ten codes an hour, and ten more once one is entered", async () => {
  const { email } = await createPerson();
  const key = await challengeOf(email);
  for (let text = 1; text < 10; text++) {
    await age(key, "code_sent_real_at", "31 seconds");
    expect(await resendCode(partner(), key)).toBe("sent");
    expect(await resendCode(partner(), key)).toBe("too_soon");
  }
  await age(key, "code_sent_real_at", "31 seconds");
  const newest = await readCode(key);
  expect(await resendCode(partner(), key)).toBe("sent_long");
  expect(await startSignIn(partner(), { email, password }, newSource())).toMatchObject({
    kind: "challenged",
    codeDigits: 10,
  });
  expect((await completeSignIn(partner(), key, newest, newSource())).kind).toBe("signed_in");
  expect(await startSignIn(partner(), { email, password }, newSource())).toMatchObject({
    kind: "challenged",
    codeDigits: 6,
  });
});

test.each(["\0@example.com", "marta\u0007@example.com", "marta", `${"m".repeat(250)}@example.com`])(
  "takes no sign-in form with the email address %j",
  (email) => {
    const parsed = signInFields.safeParse({ email, password });
    expect(parsed.error && problemsOf(parsed.error)).toMatchObject([{ field: "email" }]);
  },
);

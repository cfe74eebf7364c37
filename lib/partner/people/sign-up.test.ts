import { describe, expect, test } from "vitest";
import { wrongCodeFor } from "../../kit/testing/verification-codes.ts";
import { partner } from "../process-partner.ts";
import { problemsOf } from "../requests/form-state.ts";
import { findPersonWithPassword } from "../storage/people.ts";
import { createPerson, newRegistration, readCode } from "../testing/people.ts";
import { type ChallengeKey, openChallenge, resendCode } from "./challenge.ts";
import { completeSignIn } from "./complete-sign-in.ts";
import { type Registration, registrationFields } from "./sign-in-fields.ts";
import { startSignIn } from "./start-sign-in.ts";
import { changeSignUpPhone, startSignUp } from "./start-sign-up.ts";
import { listTexts } from "./texts.ts";

let addresses = 0;

function nowhere() {
  return { clientAddress: `198.51.100.${++addresses}`, knownDevices: [] };
}

async function challengeOf(registration: Registration): Promise<ChallengeKey> {
  const started = await startSignUp(partner(), registration, nowhere());
  if (started.kind !== "challenged") throw new Error(started.kind);
  return started.key;
}

test("creates the person once the code has come back, as a seller", async () => {
  const registration = newRegistration();
  const key = await challengeOf(registration);
  expect(await findPersonWithPassword(partner().db, registration.email)).toBeUndefined();

  const completed = await completeSignIn(partner(), key, await readCode(key), nowhere());
  expect(completed).toMatchObject({
    kind: "signed_in",
    person: { email: registration.email, phone: registration.phone, role: "seller" },
  });
  const { password } = registration;
  expect((await startSignIn(partner(), { email: registration.email, password }, nowhere())).kind).toBe("challenged");
});

test("keeps a registration encrypted until then", async () => {
  const registration = newRegistration({ last_name: "Canary-of-the-registration" });
  const key = await challengeOf(registration);
  const { rows } = await partner().pool.query(
    "select to_json(c)::text as row from sign_in_challenges c where id = $1",
    [key.id],
  );
  expect(rows[0].row).not.toContain("Canary");
  expect(rows[0].row).not.toContain(registration.email);
});

test("a mistyped phone is replaced: the rest of the answers stay, and the code sent before opens nothing", async () => {
  const registration = newRegistration();
  const { phone } = newRegistration();
  const mistyped = await challengeOf(registration);
  const oldCode = await readCode(mistyped);
  const moved = await changeSignUpPhone(partner(), mistyped, phone, nowhere());
  if (moved.kind !== "challenged") throw new Error(moved.kind);
  expect(await completeSignIn(partner(), mistyped, oldCode, nowhere())).toEqual({ kind: "ended" });
  expect(await completeSignIn(partner(), moved.key, await readCode(moved.key), nowhere())).toMatchObject({
    kind: "signed_in",
    person: { email: registration.email, phone },
  });
  const { email, password } = registration;
  expect((await startSignIn(partner(), { email, password }, nowhere())).kind).toBe("challenged");
  expect(await changeSignUpPhone(partner(), moved.key, phone, nowhere())).toEqual({ kind: "ended" });
});

test("a phone is replaced once by two tabs, counts as a text to it, and never in a sign-in", async () => {
  const { phone } = newRegistration();
  const key = await challengeOf(newRegistration());
  const both = await Promise.all([
    changeSignUpPhone(partner(), key, phone, nowhere()),
    changeSignUpPhone(partner(), key, phone, nowhere()),
  ]);
  expect(both.map(({ kind }) => kind).sort()).toEqual(["challenged", "ended"]);

  for (let text = 1; text < 10; text++) {
    expect(await changeSignUpPhone(partner(), await challengeOf(newRegistration()), phone, nowhere())).toMatchObject({
      codeDigits: 6,
    });
  }
  expect(await changeSignUpPhone(partner(), await challengeOf(newRegistration()), phone, nowhere())).toMatchObject({
    codeDigits: 10,
  });

  const owner = await createPerson();
  const { key: signIn } = await openChallenge(partner(), { kind: "sign_in", person: owner });
  expect(await changeSignUpPhone(partner(), signIn, phone, nowhere())).toEqual({ kind: "ended" });
});

describe("for an email address that has an account", () => {
  test("answers as for a new one", async () => {
    const owner = await createPerson();
    const [taken, free] = [newRegistration({ email: owner.email }), newRegistration()];
    const shapeOf = async (registration: Registration) => {
      const started = await startSignUp(partner(), registration, nowhere());
      return JSON.stringify(started).replaceAll(/"(id|secret)":"[^"]*"/g, '"$1":""');
    };
    expect(await shapeOf(taken)).toBe(await shapeOf(free));
  });

  test("answers as for a new one when the phone is changed, and sends no code", async () => {
    const owner = await createPerson();
    const { phone } = newRegistration();
    const decoy = await challengeOf(newRegistration({ email: owner.email }));
    const moved = await changeSignUpPhone(partner(), decoy, phone, nowhere());
    expect(moved).toMatchObject({ kind: "challenged", codeDigits: 6 });
    expect(await changeSignUpPhone(partner(), decoy, phone, nowhere())).toEqual({ kind: "ended" });
    if (moved.kind === "challenged") expect(await listTexts(partner(), { challengeId: moved.key.id })).toEqual([]);
  });

  test("texts the owner and no one else, and sends no code", async () => {
    const owner = await createPerson();
    const key = await challengeOf(newRegistration({ email: owner.email }));
    expect(await listTexts(partner(), { challengeId: key.id })).toEqual([]);
    const [notice] = await listTexts(partner(), { personId: owner.id });
    expect(notice?.text).toMatch(/tried to sign up/);
    expect(notice?.text).not.toMatch(/\d{6}/);
  });

  test("hears every code as a wrong one, like any challenge", async () => {
    const owner = await createPerson();
    const decoy = await challengeOf(newRegistration({ email: owner.email }));
    const real = await challengeOf(newRegistration());
    const wrong = wrongCodeFor(await readCode(real));
    for (let attempt = 0; attempt < 6; attempt++) {
      expect(await completeSignIn(partner(), decoy, wrong, nowhere())).toEqual(
        await completeSignIn(partner(), real, wrong, nowhere()),
      );
    }
  });

  test("never lets a decoy pass, even with the code that was drawn for it", async () => {
    const owner = await createPerson();
    const decoy = await challengeOf(newRegistration({ email: owner.email }));
    const real = await challengeOf(newRegistration());
    const { codeHash } = await import("./challenge.ts");
    await partner().pool.query("update sign_in_challenges set code_hash = $2 where id = $1", [
      decoy.id,
      codeHash(partner(), decoy.id, "123456"),
    ]);
    expect(await completeSignIn(partner(), decoy, "123456", nowhere())).toMatchObject({ kind: "wrong_code" });
    expect((await completeSignIn(partner(), real, await readCode(real), nowhere())).kind).toBe("signed_in");
  });

  test("leaves the owner's account as it was", async () => {
    const owner = await createPerson();
    await challengeOf(newRegistration({ email: owner.email, password: "the password of a stranger" }));
    const after = await findPersonWithPassword(partner().db, owner.email);
    expect(after).toMatchObject({ id: owner.id, phone: owner.phone });
    const stranger = { email: owner.email, password: "the password of a stranger" };
    expect(await startSignIn(partner(), stranger, nowhere())).toEqual({ kind: "refused" });
  });
});

test("gives an address to whose code comes back first when two sign up with it", async () => {
  const first = newRegistration();
  const second = newRegistration({ email: first.email });
  const [firstKey, secondKey] = [await challengeOf(first), await challengeOf(second)];
  expect((await completeSignIn(partner(), firstKey, await readCode(firstKey), nowhere())).kind).toBe("signed_in");
  expect(await completeSignIn(partner(), secondKey, await readCode(secondKey), nowhere())).toEqual({ kind: "ended" });
});

test("sends at most ten codes an hour to one phone", async () => {
  const { phone } = newRegistration();
  for (let attempt = 0; attempt < 10; attempt++) await challengeOf(newRegistration({ phone }));
  const eleventh = await startSignUp(partner(), newRegistration({ phone }), nowhere());
  expect(eleventh).toMatchObject({ kind: "challenged", codeDigits: 10 });
});

describe("the form", () => {
  test("takes a password of 12 characters and none of 11", () => {
    const parse = (password: string) => registrationFields.safeParse({ ...newRegistration(), password });
    expect(parse("x".repeat(12)).success).toBe(true);
    const short = parse("x".repeat(11));
    expect(short.error && problemsOf(short.error)).toEqual([
      {
        field: "password",
        message: "Choose a password of at least 12 characters.",
      },
    ]);
  });

  test("names each wrong field once, and shows no value", () => {
    const result = registrationFields.safeParse({ first_name: " ", email: "x", phone: "555", password: "pier 39" });
    const problems = result.error ? problemsOf(result.error) : [];
    expect(problems.map(({ field }) => field)).toEqual(["first_name", "last_name", "email", "phone", "password"]);
    expect(JSON.stringify(problems)).not.toContain("pier 39");
  });

  test("keeps the email address in lower case, without spaces", () => {
    const parsed = registrationFields.parse({ ...newRegistration(), email: " Marta@Example.COM " });
    expect(parsed.email).toBe("marta@example.com");
  });
});

test("counts a new code as one of those ten", async () => {
  const { phone } = newRegistration();
  const key = await challengeOf(newRegistration({ phone }));
  for (let attempt = 1; attempt < 10; attempt++) await challengeOf(newRegistration({ phone }));
  await partner().pool.query(
    "update sign_in_challenges set code_sent_real_at = code_sent_real_at - interval '31 seconds' where id = $1",
    [key.id],
  );
  expect(await resendCode(partner(), key)).toBe("sent_long");
});

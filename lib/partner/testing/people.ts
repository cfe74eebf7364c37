import { newId } from "../../kit/ids.ts";
import { memoize } from "../../kit/memoize.ts";
import { newPhone } from "../../kit/testing/phones.ts";
import type { ChallengeKey } from "../people/challenge.ts";
import { completeSignIn } from "../people/complete-sign-in.ts";
import type { AttemptSource } from "../people/known-devices.ts";
import { listMessages } from "../people/messages.ts";
import { hashPassword } from "../people/passwords.ts";
import type { Registration } from "../people/sign-in-fields.ts";
import { partner } from "../process-partner.ts";
import { insertPerson, type Person } from "../storage/people.ts";

const defaultPassword = "a long harbour password";
// Hashing is slow on purpose, so everyone with the default password shares one hash.
const hashOfDefaultPassword = memoize(() => hashPassword(defaultPassword));

/** A new person's sign-up form. */
export function newRegistration(overrides: Partial<Registration> = {}): Registration {
  const phone = newPhone();
  return {
    first_name: "Marta",
    last_name: "Quay",
    email: `marta.${phone.slice(1)}@example.com`,
    phone,
    password: defaultPassword,
    ...overrides,
  };
}

/** A signed-up person with the registration's password. */
export async function createPerson(overrides: Partial<Registration & Pick<Person, "role">> = {}): Promise<Person> {
  const { first_name, last_name, email, phone, password } = newRegistration(overrides);
  const { role = "seller" } = overrides;
  const passwordHash = await (password === defaultPassword ? hashOfDefaultPassword() : hashPassword(password));
  const names = { firstName: first_name, lastName: last_name };
  const created = await partner().inTransaction((tx) =>
    insertPerson(tx, { id: newId(), ...names, email, phone, role, passwordHash }),
  );
  if (!created) throw new Error("That email address is taken.");
  return created;
}

/** The code in the newest message of this challenge. */
export async function readCode({ id }: ChallengeKey): Promise<string> {
  const newest = (await listMessages(partner(), id)).at(-1);
  const code = /\b\d{6}\b/.exec(newest?.text ?? "")?.[0];
  if (!code) throw new Error("No code was sent for this challenge.");
  return code;
}

/** The long code sent for this challenge. */
export async function readLongCode({ id }: ChallengeKey): Promise<string> {
  const messages = await listMessages(partner(), id);
  const code = messages.map(({ text }) => /\b\d{5} \d{5}\b/.exec(text)?.[0]).findLast(Boolean);
  if (!code) throw new Error("No long code was sent for this challenge.");
  return code.replace(" ", "");
}

/** Completes a sign-up's first step, which sends a code to the phone. */
export async function proveEmail(key: ChallengeKey, source: AttemptSource): Promise<void> {
  const { kind } = await completeSignIn(partner(), key, await readCode(key), source, "email");
  if (kind !== "email_proven") throw new Error(`The email address isn't proven: ${kind}.`);
}

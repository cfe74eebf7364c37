import { newId } from "../../kit/ids.ts";
import { memoize } from "../../kit/memoize.ts";
import type { Partner } from "../partner.ts";
import { type OpenedChallenge, openChallenge } from "../people/challenge.ts";
import { hashPassword } from "../people/passwords.ts";
import { findPersonWithPassword, insertPerson, listPeopleByEmail, type Person } from "../storage/people.ts";
import { isClockMoved } from "./storage.ts";

/** Every demo person's password, for sandboxes only. */
export const demoPassword = "a demo password of harbor";
const demoPasswordHash = memoize(() => hashPassword(demoPassword));

const demoSellers = [
  { email: "nils.ferry@harbor.example", firstName: "Nils", lastName: "Ferry", phone: "+12025550111" },
  { email: "ada.quay@harbor.example", firstName: "Ada", lastName: "Quay", phone: "+12025550112" },
];
const operatorEmail = "olive.marsh@harbor.example";
/** The demo people's email addresses, the operator first. */
export const demoEmails = [operatorEmail, ...demoSellers.map(({ email }) => email)];

/** Creates the demo operator, with the business user's phone (Decision D18), and two sellers. Idempotent. */
export async function seedPartnerSandbox(partner: Partner): Promise<void> {
  const { businessUserPhone } = partner.config;
  const known = await listPeopleByEmail(partner.db, demoEmails);
  if (known.length === demoEmails.length) return;
  const passwordHash = await demoPasswordHash();
  const operator = { email: operatorEmail, firstName: "Olive", lastName: "Marsh", phone: businessUserPhone };
  await partner.inTransaction(async (tx) => {
    const never = new Date(0);
    await insertPerson(tx, { id: newId(), ...operator, role: "operator", passwordHash }, never);
    for (const seller of demoSellers) {
      await insertPerson(tx, { id: newId(), ...seller, role: "seller", passwordHash }, never);
    }
  });
}

/** Throws if the database has served a sandbox: the demo operator's password is public. */
export async function refuseSandboxData(partner: Partner): Promise<void> {
  const demoPeople = await listPeopleByEmail(partner.db, demoEmails);
  const traces = [
    ...demoPeople.map(({ email }) => email),
    ...((await isClockMoved(partner.db)) ? ["a moved clock"] : []),
  ];
  if (traces.length === 0) return;
  throw new Error(
    `PARTNER_SANDBOX=off refuses a database that has served a sandbox; it holds ${traces.join(", ")}. Name an empty one in PARTNER_DATABASE_URL.`,
  );
}

/** A person to switch to, with only what the sandbox bar shows. */
export type SwitchablePerson = Pick<Person, "email" | "firstName" | "lastName" | "role">;

/** The demo people, the operator first; none outside a sandbox. */
export async function listDemoPeople(partner: Partner): Promise<SwitchablePerson[]> {
  return partner.config.isSandbox ? listSwitchable(partner, demoEmails) : [];
}

/** The people with these email addresses, in this order. */
export async function listSwitchable(partner: Partner, emails: readonly string[]): Promise<SwitchablePerson[]> {
  const people = await listPeopleByEmail(partner.db, emails);
  return people.sort((one, other) => emails.indexOf(one.email) - emails.indexOf(other.email)).map(switchableOf);
}

export function switchableOf({ email, firstName, lastName, role }: Person): SwitchablePerson {
  return { email, firstName, lastName, role };
}

/** Starts a demo person's sign-in without a password. Undefined for anyone else, and outside a sandbox. */
export async function startDemoSignIn(
  partner: Partner,
  email: string,
): Promise<(OpenedChallenge & { phone: string }) | undefined> {
  if (!partner.config.isSandbox || !demoEmails.includes(email)) return undefined;
  const person = await findPersonWithPassword(partner.db, email);
  return person && { ...(await openChallenge(partner, { kind: "sign_in", person })), phone: person.phone };
}

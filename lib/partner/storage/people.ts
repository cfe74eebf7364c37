import { eq, inArray, type SQL } from "drizzle-orm";
import { type Db, harborNow } from "./database.ts";
import { people } from "./schema.ts";

/** Somebody who may sign in at Harbor. Without the password's hash, so that it travels nowhere by accident. */
export type Person = {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  /** E.164, proven by a code. */
  phone: string;
  role: Role;
  /** When both factors were last passed, by Harbor's clock. */
  lastAuthenticationAt: Date;
};
/** What somebody may do at Harbor: be paid, or pay for the business. */
export type Role = "seller" | "operator";

/** The columns of a `Person`. */
export const person = {
  id: people.id,
  email: people.email,
  firstName: people.firstName,
  lastName: people.lastName,
  phone: people.phone,
  role: people.role,
  lastAuthenticationAt: people.lastAuthenticationAt,
};

/** The person with this id, if there is one. */
export async function findPersonById(db: Db, id: string): Promise<Person | undefined> {
  const [found] = await db.select(person).from(people).where(eq(people.id, id));
  return found;
}

/** The person with this email address (in lower case) and what their password is checked against. */
export async function findPersonWithPassword(
  db: Db,
  email: string,
): Promise<(Person & { passwordHash: string }) | undefined> {
  const [found] = await db
    .select({ ...person, passwordHash: people.passwordHash })
    .from(people)
    .where(eq(people.email, email));
  return found;
}

/** Who is to be created once a code has proven the phone. */
export type NewPerson = Omit<Person, "lastAuthenticationAt"> & { passwordHash: string };

/** Creates a person, authenticated this moment unless told otherwise; undefined when the email address has been taken. */
export async function insertPerson(
  tx: Db,
  newPerson: NewPerson,
  lastAuthenticationAt: SQL | Date = harborNow,
): Promise<Person | undefined> {
  const [created] = await tx
    .insert(people)
    .values({ ...newPerson, lastAuthenticationAt, createdAt: harborNow })
    .onConflictDoNothing()
    .returning(person);
  return created;
}

/** Notes that this person passed both factors this moment. */
export async function markAuthenticated(tx: Db, id: string): Promise<Person | undefined> {
  const [marked] = await tx
    .update(people)
    .set({ lastAuthenticationAt: harborNow })
    .where(eq(people.id, id))
    .returning(person);
  return marked;
}

/** Those of these addresses who have signed up. */
export function listPeopleByEmail(db: Db, emails: readonly string[]): Promise<Person[]> {
  return db.select(person).from(people).where(inArray(people.email, emails));
}

import { eq, inArray, type SQL } from "drizzle-orm";
import { type Db, harborNow } from "./database.ts";
import { people } from "./schema.ts";

export const person = {
  id: people.id,
  email: people.email,
  firstName: people.firstName,
  lastName: people.lastName,
  phone: people.phone,
  role: people.role,
  lastAuthenticationAt: people.lastAuthenticationAt,
};

/** Email address and phone were verified by a code. `lastAuthenticationAt`: when the person last passed both factors. */
export type Person = Pick<typeof people.$inferSelect, keyof typeof person>;
export type Role = Person["role"];

export async function findPersonById(db: Db, id: string): Promise<Person | undefined> {
  const [found] = await db.select(person).from(people).where(eq(people.id, id));
  return found;
}

/** The person with this email address (in lower case), with their password hash. */
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

export type NewPerson = Omit<Person, "lastAuthenticationAt"> & { passwordHash: string };

/** Creates a person who has just signed in; undefined if the email address is taken. */
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

export async function markAuthenticated(tx: Db, id: string): Promise<Person | undefined> {
  const [marked] = await tx
    .update(people)
    .set({ lastAuthenticationAt: harborNow })
    .where(eq(people.id, id))
    .returning(person);
  return marked;
}

export function listPeopleByEmail(db: Db, emails: readonly string[]): Promise<Person[]> {
  return db.select(person).from(people).where(inArray(people.email, emails));
}

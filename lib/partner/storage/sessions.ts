import { and, eq, gt, inArray, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { type Person, person, type Role } from "./people.ts";
import { people, sessions } from "./schema.ts";

/** Keeps a session of this person, which ends `lifetimeSeconds` from now whatever happens. */
export async function insertSession(
  db: Db,
  session: {
    idHash: Buffer;
    personId: string;
    lifetimeSeconds: number;
  },
): Promise<void> {
  const { idHash, personId, lifetimeSeconds } = session;
  const expiresRealAt = sql`now() + ${lifetimeSeconds} * interval '1 second'`;
  await db.insert(sessions).values({ idHash, personId, expiresRealAt });
}

/** The person whose session it is; undefined when it has ended. */
export async function findPersonOfSession(db: Db, idHash: Buffer): Promise<Person | undefined> {
  const [found] = await db
    .select(person)
    .from(sessions)
    .innerJoin(people, eq(people.id, sessions.personId))
    .where(and(eq(sessions.idHash, idHash), gt(sessions.expiresRealAt, sql`now()`)));
  return found;
}

/** Those of these sessions that have not ended, with the role that their person has now. */
export function listLiveSessions(db: Db, idHashes: Buffer[]): Promise<{ idHash: Buffer; role: Role }[]> {
  return db
    .select({ idHash: sessions.idHash, role: people.role })
    .from(sessions)
    .innerJoin(people, eq(people.id, sessions.personId))
    .where(and(inArray(sessions.idHash, idHashes), gt(sessions.expiresRealAt, sql`now()`)));
}

/** Ends a session for good, in whatever browser its cookie is. */
export async function deleteSession(db: Db, idHash: Buffer): Promise<void> {
  await db.delete(sessions).where(eq(sessions.idHash, idHash));
}

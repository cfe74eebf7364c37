import { and, eq, inArray, or, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { clients, users } from "./schema.ts";

type SandboxData = { clientIdPrefixes: string[]; secretHashes: Buffer[]; userIds: string[]; userEmails: string[] };

/**
 * The ids of a few clients and users that only a sandbox creates: clients with these prefixes or secrets or a moved
 * clock, and users with these ids or email addresses.
 */
export async function listSandboxTraces(
  db: Db,
  { clientIdPrefixes, secretHashes, userIds, userEmails }: SandboxData,
): Promise<string[]> {
  const createdClients = await db
    .select({ id: clients.id })
    .from(clients)
    .where(
      or(
        sql`${clients.clockOffset} <> interval '0'`,
        inArray(clients.secretHash, secretHashes),
        ...clientIdPrefixes.map((prefix) => sql`starts_with(${clients.id}, ${prefix})`),
      ),
    )
    .orderBy(clients.id)
    .limit(5);
  const createdUsers = await db
    .select({ id: users.id })
    .from(users)
    // Any person may have the address of a sandbox's business.
    .where(or(inArray(users.id, userIds), and(eq(users.userType, "business"), inArray(users.email, userEmails))))
    .orderBy(users.id)
    .limit(5);
  return [...createdClients, ...createdUsers].map(({ id }) => id);
}

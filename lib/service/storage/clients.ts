import { eq, type SQL, sql } from "drizzle-orm";
import { processWide } from "../../kit/memoize.ts";
import { type Db, database } from "./database.ts";
import { clients } from "./schema.ts";

export type Client = typeof clients.$inferSelect;

const findForAuthentication = processWide("service.find_client", () =>
  database()
    .select()
    .from(clients)
    .where(eq(clients.id, sql.placeholder("id")))
    .prepare("find_client"),
);

/** Prepared, because every call with Basic credentials needs it. */
export async function findClientForAuthentication(clientId: string): Promise<Client | undefined> {
  const [client] = await findForAuthentication().execute({ id: clientId });
  return client;
}

export async function findClient(db: Db, clientId: string): Promise<Client | undefined> {
  const [client] = await db.select().from(clients).where(eq(clients.id, clientId));
  return client;
}

/** Registers a client or resets an existing one's settings, but not its clock. */
export async function upsertClient(db: Db, client: typeof clients.$inferInsert): Promise<void> {
  const { id, ...settings } = client;
  await db.insert(clients).values(client).onConflictDoUpdate({ target: clients.id, set: settings });
}

export type ClientSettings = Partial<
  Pick<Client, "isTrustedAuthenticationEnabled" | "redirectUris" | "customersUrl" | "provider">
>;

export async function updateClient(db: Db, clientId: string, settings: ClientSettings): Promise<Client> {
  const [client] = await db.update(clients).set(settings).where(eq(clients.id, clientId)).returning();
  if (!client) throw new Error("The client to update does not exist.");
  return client;
}

export function customerEndpointSecretContext(clientId: string): string {
  return `clients.customer_endpoint_secret:${clientId}`;
}

/** As an SQL interval. */
export function clockOffset(clientId: string): SQL {
  return sql`(select clock_offset from clients where id = ${clientId})`;
}

/** The time on a client's clock, as SQL (Decision D15). */
export function clientTime(clientId: string): SQL<Date> {
  return sql<Date>`now() + ${clockOffset(clientId)}`;
}

import { asc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { hasSeveralCells, perCell } from "../cells.ts";
import { insertClientCell } from "./client-cells.ts";
import { type Db, database } from "./database.ts";
import { clients } from "./schema.ts";

export type Client = typeof clients.$inferSelect;
export type NewClient = typeof clients.$inferInsert;

const findForAuthentication = perCell("service.find_client", () =>
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

export async function lockClient(tx: Db, clientId: string): Promise<Client | undefined> {
  const [client] = await tx.select().from(clients).where(eq(clients.id, clientId)).for("no key update");
  return client;
}

/** Inserts into the current cell. Undefined if the id exists in any cell. Waits for a transaction that's inserting it. */
export async function insertClient(
  tx: Db,
  client: NewClient,
  { isDryRun }: { isDryRun: boolean },
): Promise<Client | undefined> {
  if (!(await insertClientCell(tx, client.id, { isDryRun }))) return undefined;
  const [row] = await tx.insert(clients).values(client).onConflictDoNothing({ target: clients.id }).returning();
  return row;
}

/** Ordered by id; with several cells by code point, so that their lists can be merged. */
export function listClients(
  db: Db,
  { limit, startingAfter = "" }: { limit: number; startingAfter: string | undefined },
): Promise<Pick<Client, "id" | "name" | "disabledAt">[]> {
  const { id, name, disabledAt } = clients;
  const order = hasSeveralCells() ? sql`${id} collate "C"` : sql`${id}`;
  return db
    .select({ id, name, disabledAt })
    .from(clients)
    .where(gt(order, startingAfter))
    .orderBy(asc(order))
    .limit(limit);
}

/** Registers a client or resets an existing one's settings, but not its clock. */
export async function upsertClient(tx: Db, client: NewClient): Promise<void> {
  if (!(await insertClientCell(tx, client.id, { isDryRun: false })))
    throw new Error(`The client ${client.id} lives in another cell.`);
  const { id, ...settings } = client;
  await tx.insert(clients).values(client).onConflictDoUpdate({ target: clients.id, set: settings });
}

export async function updateClient(
  db: Db,
  clientId: string,
  settings: PgUpdateSetSource<typeof clients>,
): Promise<Client> {
  const [client] = await db.update(clients).set(settings).where(eq(clients.id, clientId)).returning();
  if (!client) throw new Error("The client to update does not exist.");
  return client;
}

export function customerEndpointSecretContext(clientId: string): string {
  return `clients.customer_endpoint_secret:${clientId}`;
}

/** The replaced secret stays valid for `previousSeconds`. */
export function replaceClientSecret(
  tx: Db,
  { clientId, secretHash, previousSeconds }: { clientId: string; secretHash: Buffer; previousSeconds: number },
): Promise<Client> {
  return updateClient(tx, clientId, {
    secretHash,
    previousSecretHash: sql`${clients.secretHash}`,
    previousSecretEndsRealAt: sql`now() + make_interval(secs => ${previousSeconds})`,
  });
}

/** As an SQL interval. */
export function clockOffset(clientId: string): SQL {
  return sql`(select clock_offset from clients where id = ${clientId})`;
}

/** The time on a client's clock, as SQL (Decision D15). Not for new rows. */
export function clientTime(clientId: string): SQL<Date> {
  return sql<Date>`now() + ${clockOffset(clientId)}`;
}

/** The time on a client's clock, for the values of a new row. */
export function clientTimeOfInsert(clientId: string): SQL<Date> {
  return sql<Date>`client_now(${clientId})`;
}

/** The time after an interval that depends on the row, as SQL. */
export function timeAfter(interval: SQL): SQL<Date> {
  return sql<Date>`((now() at time zone 'UTC' + ${interval}) at time zone 'UTC')`;
}

/** `timeAfter` in a statement's text. */
export function timeAfterText(interval: string): string {
  return `((now() at time zone 'UTC' + ${interval}) at time zone 'UTC')`;
}

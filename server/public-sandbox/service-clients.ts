import { sql } from "drizzle-orm";
import { brandName } from "../../brand/name.ts";
import { newSandboxClient, registerClient, type SandboxClient } from "../../lib/service/sandbox/clients.ts";
import { database, inTransaction } from "../../lib/service/storage/database.ts";

/** Registers a visitor's client, with its own funded business. The service calls it only at `hooksUrl`. */
export async function createVisitorClient(
  clientId: string,
  { redirectUri, hooksUrl }: { redirectUri: string; hooksUrl: string },
): Promise<SandboxClient> {
  // The phone is unique only among this client's people.
  const client = newSandboxClient({ clientId, provider: "harbor", businessUserPhone: "+12025550100" });
  const settings = {
    name: brandName,
    redirectUris: [redirectUri],
    customersUrl: hooksUrl,
    webhookUrl: `${hooksUrl}/webhooks`,
    isTrustedAuthenticationEnabled: true,
  };
  await inTransaction((tx) => registerClient(tx, client, settings));
  return client;
}

/** The client that an authorization visit belongs to. */
export async function findClientOfVisit(visitId: string): Promise<string | undefined> {
  const { rows } = await database().execute<{ clientId: string }>(
    sql`select client_id as "clientId" from visits where id = ${visitId}`,
  );
  return rows[0]?.clientId;
}

/**
 * Deletes a visitor's client and all its data, the ledger included. The triggers that keep history are off in this transaction,
 * which takes the superuser of an embedded database: none of our other processes can do this (docs/decisions/0007).
 */
export async function deleteVisitorClient(clientId: string): Promise<void> {
  await inTransaction(async (tx) => {
    // Waits for writers with a share lock on the client; later ones don't find it.
    await tx.execute(sql`select from clients where id = ${clientId} for update`);
    await tx.execute(sql`set local session_replication_role = replica`);
    for (const rows of rowsWithoutClient) await tx.execute(rows(clientId));
    const { rows: tables } = await tx.execute<{ name: string }>(sql`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attname = 'client_id' and not a.attisdropped`);
    for (const { name } of tables) {
      await tx.execute(sql`delete from ${sql.identifier(name)} where client_id = ${clientId}`);
    }
    await tx.execute(sql`delete from clients where id = ${clientId}`);
  });
}

type Rows = (clientId: string) => ReturnType<typeof sql>;

/** Rows without a client_id, found by what they belong to. */
const rowsWithoutClient: Rows[] = [
  (id) => sql`delete from quarantine q using (
      select id::text from transfers where client_id = ${id} union all select id::text from deliveries where client_id = ${id}
      union all select id::text from user_intents where client_id = ${id} union all select ${id}::text
    ) owned where q.id = owned.id`,
  (id) => sql`delete from delivery_attempts where delivery_id in (select id from deliveries where client_id = ${id})`,
  (id) => sql`delete from photo_deletions where id in (
      select s.id from identity_submissions s join users u on u.id = s.user_id where u.client_id = ${id})`,
  (id) => sql`delete from identity_submissions where user_id in (select id from users where client_id = ${id})`,
  (id) => sql`delete from holds where account_id in (select id from accounts where client_id = ${id})`,
  (id) => sql`delete from entries where account_id in (select id from accounts where client_id = ${id})`,
];

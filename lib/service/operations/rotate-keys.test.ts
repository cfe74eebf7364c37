import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { decryptText, type Keyring } from "../../kit/secrets.ts";
import { serviceConfig } from "../config.ts";
import { customerEndpointSecretContext, findClient } from "../storage/clients.ts";
import { database, servicePool } from "../storage/database.ts";
import { encryptedColumns } from "../storage/encryption-keys.ts";
import { identityContext } from "../storage/people.ts";
import { userIntents } from "../storage/schema.ts";
import { createTestClient } from "../testing/clients.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { createIntent } from "../testing/people.ts";
import { recordEncryptionKey, rotateServiceKeys } from "./rotate-keys.ts";

test("knows every encrypted column of the database", async () => {
  const { rows } = await servicePool().query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and column_name like '%\\_encrypted'`,
  );
  const listed = encryptedColumns.map(({ table, column }) => `${table}.${column}`);
  expect(listed.sort()).toEqual(rows.map(({ name }) => name).sort());
});

test("a value that can't be decrypted keeps no other from the current key, and is named", async () => {
  const client = await createTestClient();
  const { id } = await createIntent(client);
  const [older] = serviceConfig().keyring;
  const current = { id: "new-2", bytes: randomBytes(32) };
  const { rows } = await servicePool().query<{ text: string }>(
    `update clients set customer_endpoint_secret_encrypted =
       regexp_replace(customer_endpoint_secret_encrypted, '[^.]+$', 'AAAAAAAAAAAAAAAAAAAAAA')
     where id = $1 returning old.customer_endpoint_secret_encrypted as text`,
    [client.clientId],
  );
  const named = `clients.customer_endpoint_secret_encrypted of ${client.clientId}`;
  await expect(rotateServiceKeys({ keyring: [current, older] })).rejects.toThrow(named);
  const { identityEncrypted } = await findIntent(id);
  expect(await decryptText(identityEncrypted, identityContext(id), [current])).toContain("ssn");
  await servicePool().query("update clients set customer_endpoint_secret_encrypted = $1 where id = $2", [
    rows[0]?.text,
    client.clientId,
  ]);
  expect(await rotateServiceKeys({ keyring: [current, older] })).toBe(1);
  await rotateServiceKeys({ keyring: [older, current] });
});

test("waits until the key in use is stored", async () => {
  await servicePool().query(
    "insert into encryption_keys (key_id, rotated_real_at) values ('older', now()) on conflict do nothing",
  );
  const held = await holdRows("select from encryption_keys where key_id = 'older' for update", []);
  let isRecorded = false;
  const recorded = recordEncryptionKey().then(() => {
    isRecorded = true;
  });
  await held.waiters(1);
  expect(isRecorded).toBe(false);
  await held.release();
  await recorded;
});

// After a complete run, the older key can be removed.
test("re-encrypts everything with the current key; then the older key can be removed", async () => {
  const client = await createTestClient();
  const { id } = await createIntent(client);
  await client.call("POST", "/sandbox/webhook_endpoint/rotate");
  const current = { id: "new-1", bytes: randomBytes(32) };
  const { keyring: older } = serviceConfig();

  const keyring: Keyring = [current, ...older];
  expect(await rotateServiceKeys({ keyring })).toBeGreaterThanOrEqual(4);
  expect(await rotateServiceKeys({ keyring })).toBe(0);

  const intent = await findIntent(id);
  const identity = await decryptText(intent.identityEncrypted, identityContext(id), [current]);
  expect(JSON.parse(identity)).toHaveProperty("ssn");
  await expect(decryptText(intent.identityEncrypted, identityContext(id), older)).rejects.toThrow();
  const { customerEndpointSecretEncrypted } = (await findClient(database(), client.clientId)) ?? {};
  const context = customerEndpointSecretContext(client.clientId);
  expect(await decryptText(customerEndpointSecretEncrypted ?? "", context, [current])).toBe(
    client.customerEndpointSecret,
  );
});

async function findIntent(id: string) {
  const [intent] = await database().select().from(userIntents).where(eq(userIntents.id, id));
  if (!intent) throw new Error("The intent was created just before.");
  return intent;
}

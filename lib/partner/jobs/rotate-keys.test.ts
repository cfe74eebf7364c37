import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { decryptText, type Keyring } from "../../kit/secrets.ts";
import { openChallenge } from "../people/challenge.ts";
import { partner } from "../process-partner.ts";
import { tokenPairs } from "../storage/schema.ts";
import { storeTokenPair } from "../storage/token-pairs.ts";
import { createPerson } from "../testing/people.ts";
import { encryptedColumns, requireOwnKeys, rotatePartnerKeys } from "./rotate-keys.ts";

const { keyring: older } = partner().config;
const current = { id: "new-1", bytes: randomBytes(32) };
const keyring: Keyring = [current, ...older];

test("knows every encrypted column of the database", async () => {
  const { rows } = await partner().pool.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and column_name like '%\\_encrypted'`,
  );
  const listed = encryptedColumns.map(({ table, column }) => `${table}.${column}`);
  expect(listed.sort()).toEqual(rows.map(({ name }) => name).sort());
});

test("a process with a different key under the current key's id doesn't start", async () => {
  await partner().inTransaction(async (tx) => {
    const pair = { access_token: "at-1", token_type: "Bearer" as const, expires_in: 7200, refresh_token: "rt-1" };
    await storeTokenPair(older, tx, newId(), pair);
  });
  const keys = `${older[0].id}:${randomBytes(32).toString("base64")}`;
  const env = { ...process.env, PARTNER_ENCRYPTION_KEYS: keys, ROLES: "partner-worker", LOG_LEVEL: "silent" };
  const started = promisify(execFile)(process.execPath, ["scripts/run.mjs", "server.ts"], {
    env,
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: `PARTNER_ENCRYPTION_KEYS: the key "${older[0].id}" differs from the key with this id that encrypted the database. Restore that key.\n`,
  });
  await partner().db.delete(tokenPairs);
});

test("a damaged value neither stops a start nor hides a different key", async () => {
  const store = () =>
    partner().inTransaction(async (tx) => {
      const pair = { access_token: "at-1", token_type: "Bearer" as const, expires_in: 7200, refresh_token: "rt-1" };
      await storeTokenPair(older, tx, newId(), pair);
    });
  await store();
  await partner().db.update(tokenPairs).set({ accessTokenEncrypted: "damaged" });
  await expect(requireOwnKeys(partner())).resolves.toBeUndefined();
  await store();
  await expect(requireOwnKeys(partner())).resolves.toBeUndefined();
  const config = { ...partner().config, keyring: [{ id: older[0].id, bytes: randomBytes(32) }] as const };
  await expect(requireOwnKeys({ ...partner(), config })).rejects.toThrow("differs from the key with this id");
  await partner().db.delete(tokenPairs);
});

test("the command rotates Harbor's keys although the service's database is down, and exits with 1", async () => {
  const env = {
    ...process.env,
    SERVICE_DATABASE_URL: "postgres://user@127.0.0.1:1/books",
    SERVICE_ENCRYPTION_KEYS: `key-1:${randomBytes(32).toString("base64")}`,
    LOG_LEVEL: "silent",
  };
  await expect(
    promisify(execFile)(process.execPath, ["scripts/run.mjs", "scripts/rotate-keys.ts"], { env }),
  ).rejects.toMatchObject({
    code: 1,
    stdout: "partner: 0 values were encrypted with an older key and now use the current one.\n",
    stderr: expect.stringContaining("ECONNREFUSED"),
  });
});

// Once the command has finished, the older key can be deleted.
test("encrypts every value with the current key, once; then the older key isn't needed", async () => {
  const person = await createPerson();
  const serviceUserId = newId();
  await openChallenge(partner(), { kind: "sign_in", person });
  await partner().inTransaction(async (tx) => {
    const pair = { access_token: "at-1", token_type: "Bearer" as const, expires_in: 7200, refresh_token: "rt-1" };
    await storeTokenPair(partner().config.keyring, tx, serviceUserId, pair);
  });
  expect(await rotatePartnerKeys(partner(), { keyring })).toBe(3);
  expect(await rotatePartnerKeys(partner(), { keyring })).toBe(0);

  const [row] = await partner().db.select().from(tokenPairs).where(eq(tokenPairs.serviceUserId, serviceUserId));
  const encrypted = row?.refreshTokenEncrypted ?? "";
  const context = `token_pairs.refresh_token:${serviceUserId}`;
  expect(await decryptText(encrypted, context, [current])).toBe("rt-1");
  await expect(decryptText(encrypted, context, older)).rejects.toThrow();
});

test("skips a pair that is replaced during the rotation", async () => {
  const serviceUserId = newId();
  const pairOf = (number: number) => ({
    access_token: `at-${number}`,
    token_type: "Bearer" as const,
    expires_in: 7200,
    refresh_token: `rt-${number}`,
  });
  await partner().inTransaction((tx) => storeTokenPair(partner().config.keyring, tx, serviceUserId, pairOf(1)));
  // A refresh locks the row after the command has read it.
  let rotated: Promise<number> | undefined;
  await partner().inTransaction(async (tx) => {
    await storeTokenPair(partner().config.keyring, tx, serviceUserId, pairOf(2));
    rotated = rotatePartnerKeys(partner(), { keyring });
    await expect.poll(() => countWaiting()).toBe(1);
  });
  await rotated;
  const [row] = await partner().db.select().from(tokenPairs).where(eq(tokenPairs.serviceUserId, serviceUserId));
  const context = `token_pairs.access_token:${serviceUserId}`;
  expect(await decryptText(row?.accessTokenEncrypted ?? "", context, keyring)).toBe("at-2");
});

async function countWaiting(): Promise<number> {
  const { rows } = await partner().pool.query<{ count: number }>(
    "select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
  );
  return rows[0]?.count ?? 0;
}

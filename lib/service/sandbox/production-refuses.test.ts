import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseEnv, promisify } from "node:util";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { newId } from "../../kit/ids.ts";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import { refuseSandboxData } from "../operations/refuse-sandbox-data.ts";
import { upsertClient } from "../storage/clients.ts";
import { database } from "../storage/database.ts";
import { advanceClock, type ClientKey } from "../testing/clients.ts";
import { createSandboxClient } from "./clients.ts";
import { seedSandbox, seedValuesOf } from "./seed.ts";

const example = parseEnv(readFileSync(".env.example", "utf8"));
const demoClient = JSON.parse(example["SERVICE_SEED_CLIENT"] ?? "");
const message = "SERVICE_MODE=production refuses a database that has served a sandbox";

/** Registers a client as in production, without sandbox data, business user, or money. */
async function registerRealClient(): Promise<ClientKey> {
  const clientId = `client-${newId()}`;
  const settings = { name: "Harbor & Sons", redirectUris: [], provider: "harbor", businessProfileId: newId() };
  await upsertClient(database(), { id: clientId, secretHash: sha256(newSecret("")), ...settings });
  return { clientId };
}

test("accepts a database of real clients", async () => {
  await registerRealClient();
  await refuseSandboxData();
});

test.each<[string, (client: ClientKey) => Promise<unknown>]>([
  ["whose clock was moved", (client) => advanceClock(client, 1)],
  [
    "with the secret of .env.example",
    ({ clientId: id }) =>
      database().execute(sql`update clients set secret_hash = ${sha256(demoClient.client_secret)} where id = ${id}`),
  ],
])("refuses a client %s, by its id", async (_name, change) => {
  const client = await registerRealClient();
  await change(client);
  await expect(refuseSandboxData()).rejects.toThrow(message);
  await expect(refuseSandboxData()).rejects.toThrow(client.clientId);
  await database().execute(sql`update clients set clock_offset = '0', secret_hash = '' where id = ${client.clientId}`);
  await refuseSandboxData();
});

test("refuses a sandbox client and the demo's seed data", async () => {
  await createSandboxClient();
  await expect(refuseSandboxData()).rejects.toThrow("sandbox-");
  await seedSandbox();
  await expect(refuseSandboxData()).rejects.toThrow(demoClient.client_id);
  await expect(refuseSandboxData()).rejects.toThrow(example["PARTNER_BUSINESS_USER_ID"]);
});

test("refuses the standalone service's client by its business user", async () => {
  const shop = { ...demoClient, client_id: "shop", client_secret: "its-own-secret" };
  vi.stubEnv("SERVICE_SEED_CLIENT", JSON.stringify(shop));
  await seedSandbox();
  vi.unstubAllEnvs();
  await expect(refuseSandboxData()).rejects.toThrow(seedValuesOf("shop").businessUserId);
});

test("a production process in any role refuses the demo's database", async () => {
  await seedSandbox();
  const environment = {
    ...process.env,
    SERVICE_SEED_CLIENT: "",
    SERVICE_MODE: "production",
    SERVICE_ENCRYPTION_KEYS: `own-1:${randomBytes(32).toString("base64")}`,
    SERVICE_FINGERPRINT_KEY: randomBytes(32).toString("hex"),
    NODE_ENV: "production" as const,
    LOG_LEVEL: "silent",
  };
  const started = (role: string) =>
    promisify(execFile)(process.execPath, ["server.ts"], { env: { ...environment, ROLES: role }, timeout: 120_000 });
  for (const role of ["service-api", "service-worker"]) {
    await expect(started(role)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  }
});

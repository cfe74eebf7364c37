import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { readEnvironment } from "../kit/environment.ts";
import { type PartnerConfig, partnerEnvironment, readPartnerConfig } from "./config.ts";

const example = parseEnv(readFileSync(".env.example", "utf8"));
const database = "postgres://harbor:secret@127.0.0.1:5432/harbor";
const ownSettings = {
  PARTNER_BASE_URL: "https://harbor.example",
  PARTNER_DATABASE_URL: database,
  PARTNER_SERVICE_BASE_URL: "https://api.example",
  PARTNER_SERVICE_NAME: "Other Books",
  PARTNER_CLIENT_ID: "harbor",
  PARTNER_CLIENT_SECRET: "own client secret",
  PARTNER_PROVIDER: "harbor",
  PARTNER_CUSTOMER_ENDPOINT_SECRET: "own endpoint secret",
  PARTNER_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
  PARTNER_BUSINESS_USER_ID: "b-1",
  PARTNER_BUSINESS_USER_PHONE: "+14155550100",
  PARTNER_ENCRYPTION_KEYS: `own-1:${Buffer.alloc(32, 7).toString("base64")}`,
  PARTNER_SESSION_SECRET: "an own session secret of 32 characters",
  PARTNER_SANDBOX: "off",
};

async function configWith(settings: Record<string, string | undefined>): Promise<PartnerConfig> {
  const names = Object.keys(partnerEnvironment.shape);
  return readPartnerConfig(Object.fromEntries(names.map((name) => [name, settings[name] ?? ""])));
}

test(".env.example works unedited once a database is named", () => {
  const settings = readEnvironment(partnerEnvironment, { ...example, PARTNER_DATABASE_URL: database });
  expect(settings.PARTNER_SANDBOX).toBe("on");
});

// server/settings.test.ts compares the whole file with the settings of every app and of the process.
test(".env.example names each setting of this app", () => {
  expect(Object.keys(example)).toEqual(expect.arrayContaining(Object.keys(partnerEnvironment.shape)));
});

test("names missing and invalid settings, never their values", async () => {
  const wrong = configWith({ ...ownSettings, PARTNER_SESSION_SECRET: "too short", PARTNER_DATABASE_URL: undefined });
  await expect(wrong).rejects.toThrow(/PARTNER_DATABASE_URL.*PARTNER_SESSION_SECRET/s);
  await expect(wrong).rejects.not.toThrow(/too short/);
  await expect(wrong).rejects.toThrow("PARTNER_DATABASE_URL: is missing");
  await expect(wrong).rejects.toThrow("PARTNER_SESSION_SECRET: must have");
});

test("dedicated connections use the direct address, which defaults to the main one", async () => {
  const direct = "postgres://harbor@past-the-pooler:5432/harbor";
  expect(await configWith(ownSettings)).toMatchObject({ databaseUrl: database, databaseDirectUrl: database });
  const named = await configWith({ ...ownSettings, PARTNER_DATABASE_DIRECT_URL: direct });
  expect(named).toMatchObject({ databaseUrl: database, databaseDirectUrl: direct });
  const wrong = configWith({ ...ownSettings, PARTNER_DATABASE_DIRECT_URL: "postgres://one,two/harbor" });
  await expect(wrong).rejects.toThrow("PARTNER_DATABASE_DIRECT_URL: must be a postgres:// address");
});

test("a different direct address means that the main one is a pooler's", async () => {
  const direct = "postgres://gangway@past-the-pooler:5432/gangway";
  const isPooled = async (settings: object) => (await configWith({ ...ownSettings, ...settings })).isDatabasePooled;
  expect(await isPooled({ PARTNER_DATABASE_DIRECT_URL: direct })).toBe(true);
  expect(await isPooled({ PARTNER_DATABASE_DIRECT_URL: database })).toBe(false);
  expect(await isPooled({})).toBe(false);
});

test("starts outside a sandbox, the default, with its own values", async () => {
  const config = await configWith({ ...ownSettings, PARTNER_SANDBOX: undefined });
  expect(config).toMatchObject({ isSandbox: false, serviceAuthUrl: "https://api.example" });
});

test.each([
  "PARTNER_CLIENT_ID",
  "PARTNER_CLIENT_SECRET",
  "PARTNER_CUSTOMER_ENDPOINT_SECRET",
  "PARTNER_WEBHOOK_SECRET",
  "PARTNER_ENCRYPTION_KEYS",
  "PARTNER_SESSION_SECRET",
])("refuses the demo's %s outside a sandbox, without showing it", async (name) => {
  const started = configWith({ ...ownSettings, [name]: example[name] });
  await expect(started).rejects.toThrow(`PARTNER_SANDBOX=off refuses demo values. Set your own: ${name}.`);
});

test.each(["PARTNER_ENCRYPTION_KEYS", "SERVICE_ENCRYPTION_KEYS"])(
  "refuses the key of the demo's %s under any id, and behind the current one too",
  async (name) => {
    const demoKey = example[name]?.split(":")[1];
    const keys = `${ownSettings.PARTNER_ENCRYPTION_KEYS},own-0:${demoKey}`;
    const started = configWith({ ...ownSettings, PARTNER_ENCRYPTION_KEYS: keys });
    await expect(started).rejects.toThrow("Set your own: PARTNER_ENCRYPTION_KEYS.");
  },
);

test("keeps the path of the service's URLs, without a trailing slash", async () => {
  const config = await configWith({
    ...ownSettings,
    PARTNER_SERVICE_BASE_URL: "https://bank.example/api/partners/",
    PARTNER_SERVICE_AUTH_URL: "https://bank.example/sign-in",
  });
  expect(config).toMatchObject({
    serviceBaseUrl: "https://bank.example/api/partners",
    serviceAuthUrl: "https://bank.example/sign-in",
  });
});

test("refuses a service URL with a query", async () => {
  const started = configWith({ ...ownSettings, PARTNER_SERVICE_BASE_URL: "https://bank.example/api?version=1" });
  await expect(started).rejects.toThrow("PARTNER_SERVICE_BASE_URL: must end with its path");
});

test("accepts the old and the new webhook secret during a rotation, but neither from the demo", async () => {
  const [current, previous] = [ownSettings.PARTNER_WEBHOOK_SECRET, `whsec_${Buffer.alloc(24, 8).toString("base64")}`];
  const configOf = (PARTNER_WEBHOOK_SECRET: string) => configWith({ ...ownSettings, PARTNER_WEBHOOK_SECRET });
  expect(await configOf(current)).toMatchObject({ webhookSecrets: [current] });
  expect(await configOf(`${previous}, ${current}`)).toMatchObject({ webhookSecrets: [previous, current] });
  await expect(configOf(`${current},${example["PARTNER_WEBHOOK_SECRET"]}`)).rejects.toThrow(
    "Set your own: PARTNER_WEBHOOK_SECRET.",
  );
  await expect(configOf(`${current},other`)).rejects.toThrow("PARTNER_WEBHOOK_SECRET: must be whsec_ and base64");
});

test("any text but an empty one is a webhook secret if webhooks are signed as another service does", async () => {
  const scheme = { PARTNER_WEBHOOK_SIGNATURE_HEADER: "X-Signature" };
  const configOf = (PARTNER_WEBHOOK_SECRET: string) =>
    configWith({ ...ownSettings, ...scheme, PARTNER_WEBHOOK_SECRET });
  expect(await configOf("one, another")).toMatchObject({
    webhookSignatureHeader: "x-signature",
    webhookSecrets: ["one", "another"],
  });
  expect(await configWith(ownSettings)).toMatchObject({ webhookSignatureHeader: undefined });
  await expect(configOf("one,")).rejects.toThrow("PARTNER_WEBHOOK_SECRET: must be");
  await expect(configOf("demo-secret")).rejects.toThrow("Set your own: PARTNER_WEBHOOK_SECRET.");
});

test("a payment's path and fields, and the path of accounts, are our service's by default", async () => {
  expect(await configWith(ownSettings)).toMatchObject({
    bookPath: "/v1/routines/book",
    bookFields: { name: "name", amount: "amount", source_id: "source_id", destination_id: "destination_id" },
    accountsPath: "/v1/accounts",
  });
  const settings = { PARTNER_BOOK_PATH: "/v2/pay", PARTNER_BOOK_FIELDS: "title, usd,from , to" };
  expect(await configWith({ ...ownSettings, ...settings })).toMatchObject({
    bookPath: "/v2/pay",
    bookFields: { name: "title", amount: "usd", source_id: "from", destination_id: "to" },
  });
});

test.each([
  ["PARTNER_BOOK_PATH", "v2/pay"],
  ["PARTNER_BOOK_PATH", "/v2/pay?now=1"],
  ["PARTNER_ACCOUNTS_PATH", "https://api.example/v1/accounts"],
  ["PARTNER_BOOK_FIELDS", "title,usd,from"],
  ["PARTNER_BOOK_FIELDS", "title,usd,from,from"],
])("refuses %s as %s", async (name, value) => {
  await expect(configWith({ ...ownSettings, [name]: value })).rejects.toThrow(`${name}: must be`);
});

const usualFeatures = {
  isStateUsed: true,
  isCodeChallengeUsed: true,
  isRevocationUsed: true,
  isReplayKnown: false,
  hasServiceConsole: false,
};

test.each([
  ["", usualFeatures],
  ["none", { ...usualFeatures, isStateUsed: false, isCodeChallengeUsed: false, isRevocationUsed: false }],
  ["state, pkce, revocation, replays, console", { ...usualFeatures, isReplayKnown: true, hasServiceConsole: true }],
  ["pkce", { ...usualFeatures, isStateUsed: false, isRevocationUsed: false }],
])("the service's features are those listed as %j, and no others", async (list, features) => {
  expect(await configWith({ ...ownSettings, PARTNER_SERVICE_FEATURES: list })).toMatchObject(features);
});

test.each(["states", "none,state", "state;pkce", ","])("refuses %s as a list of features", async (list) => {
  const started = configWith({ ...ownSettings, PARTNER_SERVICE_FEATURES: list });
  await expect(started).rejects.toThrow("PARTNER_SERVICE_FEATURES: must be none, or some of state, pkce");
});

test("the idempotency header is the IETF draft's unless another is set", async () => {
  expect(await configWith(ownSettings)).toMatchObject({ idempotencyHeader: "idempotency-key" });
  const renamed = { ...ownSettings, PARTNER_IDEMPOTENCY_HEADER: "X-Request-Key" };
  expect(await configWith(renamed)).toMatchObject({ idempotencyHeader: "x-request-key" });
});

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, describe, expect, test, vi } from "vitest";
import { readEnvironment } from "../lib/kit/environment.ts";
import { partnerEnvironment } from "../lib/partner/config.ts";
import { serviceEnvironment } from "../lib/service/config.ts";
import { processEnvironment, requirePrerequisites } from "./process-settings.ts";
import { type Role, roles } from "./roles.ts";

const example = parseEnv(readFileSync(".env.example", "utf8"));
const database = "postgres://gangway:secret@127.0.0.1:5432/gangway";
const schemas = { service: serviceEnvironment, partner: partnerEnvironment, process: processEnvironment };
const ownSettings = {
  SERVICE_MODE: "production",
  SERVICE_BASE_URL: "https://api.plainbook.example",
  SERVICE_DATABASE_URL: database,
  SERVICE_ENCRYPTION_KEYS: `own-1:${Buffer.alloc(32, 7).toString("base64")}`,
  SERVICE_FINGERPRINT_KEY: "an own fingerprint key of 32 characters",
};

test(".env.example lists exactly the existing settings", () => {
  const known = Object.values(schemas).flatMap((schema) => Object.keys(schema.shape));
  expect(Object.keys(example).sort()).toEqual(known.sort());
});

test(".env.example works unedited in both apps, once databases are configured", () => {
  const settings = { ...example, SERVICE_DATABASE_URL: database, PARTNER_DATABASE_URL: database };
  for (const schema of Object.values(schemas)) expect(() => readEnvironment(schema, settings)).not.toThrow();
});

test("each default matches .env.example", () => {
  const required = { ...example, SERVICE_DATABASE_URL: database };
  const numbers = Object.keys(required).filter((name) => /_(?:MS|MAX|SECONDS)$/.test(name));
  const without = Object.fromEntries(Object.entries(required).filter(([name]) => !numbers.includes(name)));
  const [spelled, left] = [required, without].map((settings) => ({
    ...readEnvironment(serviceEnvironment, settings),
    ...readEnvironment(processEnvironment, settings),
  }));
  expect(left).toEqual(spelled);
});

test("the direct address is the database address unless it is set", async () => {
  const direct = "postgres://gangway@past-the-pooler:5432/gangway";
  expect(await configWith(ownSettings)).toMatchObject({ databaseUrl: database, databaseDirectUrl: database });
  const named = await configWith({ ...ownSettings, SERVICE_DATABASE_DIRECT_URL: direct });
  expect(named).toMatchObject({ databaseUrl: database, databaseDirectUrl: direct });
});

test("a separate direct address means that the main one is a pooler's", async () => {
  const direct = "postgres://gangway@past-the-pooler:5432/gangway";
  const isPooled = async (settings: object) => (await configWith({ ...ownSettings, ...settings })).isDatabasePooled;
  expect(await isPooled({ SERVICE_DATABASE_DIRECT_URL: direct })).toBe(true);
  expect(await isPooled({ SERVICE_DATABASE_DIRECT_URL: database })).toBe(false);
  expect(await isPooled({})).toBe(false);
});

test("several cells need the database's own address, because a pooler's connections have no search path", async () => {
  const several = { ...ownSettings, SERVICE_CELLS: "2" };
  expect(await configWith(ownSettings)).toMatchObject({ cells: 1 });
  expect(await configWith(several)).toMatchObject({ cells: 2 });
  const direct = "postgres://gangway@past-the-pooler:5432/gangway";
  await expect(configWith({ ...several, SERVICE_DATABASE_DIRECT_URL: direct })).rejects.toThrow(
    "SERVICE_CELLS above 1 needs PostgreSQL's own address",
  );
  await expect(configWith({ ...several, SERVICE_CELLS: "0" })).rejects.toThrow("SERVICE_CELLS: must be at least 1");
});

test("production starts with its own settings", async () => {
  expect(await configWith(ownSettings)).toMatchObject({ mode: "production", authUrl: "https://api.plainbook.example" });
});

test.each(["SERVICE_ENCRYPTION_KEYS", "SERVICE_FINGERPRINT_KEY", "SERVICE_SEED_CLIENT"])(
  "production refuses the demo's %s by name, without showing it",
  async (name) => {
    const value = example[name] ?? "";
    const started = configWith({ ...ownSettings, [name]: value });
    await expect(started).rejects.toThrow(name);
    await expect(started).rejects.not.toThrow(value.split(":").at(-1));
  },
);

test.each(["SERVICE_ENCRYPTION_KEYS", "PARTNER_ENCRYPTION_KEYS"])(
  "production refuses the key of the demo's %s under any id, even as an older key",
  async (name) => {
    const demoKey = example[name]?.split(":")[1] ?? "";
    const keys = `${ownSettings.SERVICE_ENCRYPTION_KEYS},own-0:${demoKey}`;
    const started = configWith({ ...ownSettings, SERVICE_ENCRYPTION_KEYS: keys });
    await expect(started).rejects.toThrow("SERVICE_ENCRYPTION_KEYS");
    await expect(started).rejects.not.toThrow(demoKey);
  },
);

test.each([
  ["SERVICE_BASE_URL", "not an address"],
  ["SERVICE_ENCRYPTION_KEYS", "own-1:c2hvcnQtc2VjcmV0"],
  ["SERVICE_FINGERPRINT_KEY", "tooshort-secret"],
  ["SERVICE_SETTLEMENT_DELAY_MS", "soon"],
  ["SERVICE_OUTBOUND_NETWORKS", "everywhere"],
  ["SERVICE_HOSTS", "*"],
  ["SERVICE_HOSTS", "localhost:4000"],
  ["SERVICE_HOSTS", "localhost,http://plainbook"],
  ["SERVICE_HOSTS", "127.1"],
  ["OPERATOR_TOKEN", "tooshort-token"],
  ["OPERATOR_TOKEN", "a token of 32 characters or more with spaces"],
  ["SERVICE_SEED_CLIENT", "{client_id:"],
  ["SERVICE_SEED_CLIENT", '{"client_id":"shop","client_secret":"own-secret"}'],
])("an invalid %s is reported by name, without its value", async (name, value) => {
  const started = configWith({ ...ownSettings, [name]: value });
  await expect(started).rejects.toThrow(name);
  await expect(started).rejects.not.toThrow(value);
});

test.each([
  ["customers_url", "http://shop.example/v1?key=1"],
  ["webhook_url", "ftp://shop.example/webhooks"],
  ["webhook_url", "http://shop:secret@shop.example/webhooks"],
  ["redirect_uris", ["http://shop.example/callback#code"]],
])("the seeded client's addresses follow the rules of registration: %s %j", async (field, value) => {
  const seed = JSON.stringify({ ...JSON.parse(example["SERVICE_SEED_CLIENT"] ?? ""), [field]: value });
  const started = configWith({ ...ownSettings, SERVICE_MODE: "sandbox", SERVICE_SEED_CLIENT: seed });
  await expect(started).rejects.toThrow("SERVICE_SEED_CLIENT: must be JSON like");
});

test("an invalid choice lists the allowed values", async () => {
  await expect(configWith({ ...ownSettings, SERVICE_MODE: "prod" })).rejects.toThrow(
    "SERVICE_MODE: must be one of sandbox, production",
  );
});

/** As in a new process. */
async function configWith(settings: Record<string, string>) {
  for (const name of Object.keys(serviceEnvironment.shape)) vi.stubEnv(name, settings[name] ?? "");
  vi.resetModules();
  try {
    return (await import("../lib/service/config.ts")).serviceConfig();
  } finally {
    vi.unstubAllEnvs();
  }
}

test("each listener binds to its own setting; a drain takes at most 600 seconds", async () => {
  const settings = {
    PARTNER_LISTEN: "3001",
    SERVICE_LISTEN: "0.0.0.0:4001, 4002",
    METRICS_LISTEN: "[::1]:9001",
    OPERATOR_PORT: "9002",
    TRUSTED_PROXIES: "10.1.0.0/16",
    DRAIN_SECONDS: "600",
  };
  expect(await processSettingsWith(settings)).toEqual({
    partnerListen: { host: undefined, port: 3001 },
    serviceListen: [
      { host: "0.0.0.0", port: 4001 },
      { host: undefined, port: 4002 },
    ],
    metricsListen: { host: "::1", port: 9001 },
    operatorListen: { host: undefined, port: 9002 },
    trustedProxies: [expect.arrayContaining([16])],
    providers: undefined,
    drainMs: 600_000,
  });
  expect(await processSettingsWith({})).toMatchObject({ metricsListen: undefined, trustedProxies: [], drainMs: 0 });
  await expect(processSettingsWith({ DRAIN_SECONDS: "601" })).rejects.toThrow("DRAIN_SECONDS: must be at most 600");
});

/** As in a new process. */
async function processSettingsWith(settings: Record<string, string>) {
  for (const name of Object.keys(processEnvironment.shape)) vi.stubEnv(name, settings[name] ?? "");
  vi.resetModules();
  try {
    return (await import("./process-settings.ts")).processSettings();
  } finally {
    vi.unstubAllEnvs();
  }
}

const folder = mkdtempSync(join(tmpdir(), "gangway-settings-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("in production, only a process that serves pages requires a build", () => {
  const start = (role: Role, environment: Partial<NodeJS.ProcessEnv> = {}) =>
    requirePrerequisites(new Set([role]), {
      NODE_ENV: "production",
      NEXT_DIST_DIR: folder,
      SERVICE_DATABASE_URL: database,
      PARTNER_DATABASE_URL: database,
      ...environment,
    });
  for (const role of ["partner", "service-web"] as const) {
    expect(() => start(role)).toThrow(`The pages are not built in ${folder}: run \`npm run build\` first.`);
    expect(() => start(role, { NODE_ENV: "development" })).not.toThrow();
  }
  for (const role of ["partner-worker", "service-api", "service-worker"] as const) {
    expect(() => start(role)).not.toThrow();
  }
  writeFileSync(join(folder, "BUILD_ID"), "a build");
  for (const role of roles) expect(() => start(role)).not.toThrow();
});

test("an unknown log level stops the start with the setting's name", () => {
  const { status, stderr } = spawnSync(process.execPath, ["server.ts"], {
    env: { ...process.env, ...ownSettings, ROLES: "service-api", LOG_LEVEL: "warning" },
    encoding: "utf8",
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  const levels = "trace, debug, info, warn, error, fatal, silent";
  const sentence = `These settings are missing or invalid (see .env.example):\n  LOG_LEVEL: must be one of ${levels}\n`;
  expect([status, stderr]).toEqual([1, sentence]);
});

describe("a log file", () => {
  test.each(["directory", "fifo"])("that is a %s stops the start with an error", (kind) => {
    const path = join(folder, kind);
    if (kind === "fifo") spawnSync("mkfifo", [path]);
    else mkdirSync(path);
    const { status, stderr } = spawnSync(process.execPath, ["server.ts"], {
      env: { ...process.env, ...ownSettings, ROLES: "service-api", LOG_FILE: path },
      encoding: "utf8",
      timeout: 120_000,
      killSignal: "SIGKILL",
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        "LOG_FILE must name a regular file, or a path where there is none yet. Leave it empty to log to standard output.\n",
    });
  });
});

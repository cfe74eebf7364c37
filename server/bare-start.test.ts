import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { roles } from "./roles.ts";

// An unconfigured start: only the file with the demo's public secrets, and no .env.
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gangway-bare-"));
  copyFileSync(".env.example", join(folder, ".env.example"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const database = "postgres://gangway@127.0.0.1:1/gangway";
const serviceRoles = roles.filter((role) => role.startsWith("service-"));
const partnerRoles = roles.filter((role) => role.startsWith("partner"));
const ownService = {
  SERVICE_BASE_URL: "https://api.plainbook.example",
  SERVICE_DATABASE_URL: database,
  SERVICE_ENCRYPTION_KEYS: `own-1:${Buffer.alloc(32, 7).toString("base64")}`,
  SERVICE_FINGERPRINT_KEY: "an own fingerprint key of 32 characters",
};

describe("a start with settings only from the environment", () => {
  test.each(serviceRoles)("%s: without settings, names the missing database", (role) => {
    const { status, stderr } = start(role, {});
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^No database is configured: set SERVICE_DATABASE_URL to /),
    ]);
  });

  test.each(partnerRoles)("%s: without settings, names the missing database", (role) => {
    const { status, stderr } = start(role, {});
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^No database is configured: set PARTNER_DATABASE_URL to /),
    ]);
  });

  test.each(serviceRoles)("%s: without SERVICE_MODE, names it and doesn't fall back on the demo's", (role) => {
    const { status, stderr } = start(role, ownService);
    const missing = "These settings are missing or invalid (see .env.example):\n  SERVICE_MODE: is missing\n";
    expect([status, stderr]).toEqual([1, missing]);
  });

  test.each(partnerRoles)("%s: with only a database, names every other missing setting", (role) => {
    const { status, stderr } = start(role, { PARTNER_DATABASE_URL: database });
    expect([status, stderr]).toEqual([1, expect.stringContaining("  PARTNER_CLIENT_SECRET: is missing\n")]);
  });

  test.each([
    ["migrate.ts", "SERVICE_DATABASE_URL must name the database."],
    ["client.ts show", "SERVICE_DATABASE_URL must name the database."],
    ["reconcile.ts", "SERVICE_DATABASE_URL must name the database."],
    ["rotate-keys.ts", "SERVICE_DATABASE_URL must name the database.\nPARTNER_DATABASE_URL must name the database."],
    ["harbor-adopt.ts", "PARTNER_DATABASE_URL must name the database."],
  ])("%s: takes no setting of the demo, and starts no database", (command, sentence) => {
    const { status, stderr } = run(`scripts/${command}`, {});
    expect([status !== 0, stderr]).toEqual([true, `${sentence}\n`]);
  });

  test.each([
    "migrate.ts both",
    "migrate.ts service partner",
    "rotate-keys.ts both",
    "cell-move.ts 3",
    "harbor-adopt.ts --days 0",
    "harbor-adopt.ts now",
    "reconcile.ts service",
  ])("%s: with invalid options, prints its usage and exits with 2", (command) => {
    const { status, stderr } = run(`scripts/${command}`, {});
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^Usage: npm run [^\n]+\n$/)]);
  });
});

function start(role: string, settings: Record<string, string>) {
  // Only production requires built pages.
  return run("server.ts", { ...settings, ROLES: role, LOG_LEVEL: "silent", NODE_ENV: "development" });
}

function run(file: string, settings: Record<string, string>) {
  const [path = "", ...words] = file.split(" ");
  return spawnSync(process.execPath, [resolve("scripts/run.mjs"), resolve(path), ...words], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...settings } as Record<string, string | undefined> as NodeJS.ProcessEnv,
    encoding: "utf8",
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
}

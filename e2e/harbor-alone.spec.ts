import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect, test } from "@playwright/test";
import { signatureHeaders } from "../lib/contract/webhooks.ts";
import { type FakeServer, startFakeServer } from "../lib/kit/testing/fake-server.ts";
import { freePort } from "../scripts/embedded-postgres.ts";

// `npm run harbor` and `npm start`: Harbor runs with any service, prints what to register, and names missing settings.

const webhookSecret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const running = new Set<ChildProcess>();
let folder: string;
let service: FakeServer;
let settings: NodeJS.ProcessEnv;
test.beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "gangway-harbor-"));
  // Under root, the database runs as another user.
  chmodSync(folder, 0o755);
  service = await startFakeServer();
  service.answer(({ path, headers }, response) => {
    response.writeHead(path === "/bank/api/v1/user" && !headers.authorization ? 401 : 404).end();
  });
  settings = {
    PATH: process.env["PATH"],
    NODE_ENV: "production",
    NEXT_DIST_DIR: ".next-test",
    DATA_FOLDER: folder,
    PARTNER_BASE_URL: `http://localhost:${await freePort()}`,
    PARTNER_SERVICE_BASE_URL: `${service.url}/bank/api`,
    PARTNER_SERVICE_AUTH_URL: `${service.url}/sign-in`,
    PARTNER_SERVICE_NAME: "Other Books",
    PARTNER_WEBHOOK_SECRET: webhookSecret,
    PARTNER_CUSTOMER_ENDPOINT_SECRET: "secret-of-the-customer-endpoint",
  };
});
test.afterEach(async () => {
  for (const child of running) await end(child);
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("Harbor runs alone against a base URL with a path, and describes itself correctly", async () => {
  const { output } = await run("scripts/harbor.ts", { until: "Ctrl-C stops" });
  expect(output).toContain(`${service.url}/bank/api answers: GET /v1/user without a token is 401, as expected.`);
  expect(output).toContain(`${service.url}/sign-in/login/oauth/authorize`);
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /bank/api/v1/user"]);
  expect(output).toContain("Register at Other Books for the client demo-harbor (PARTNER_CLIENT_ID)");
  for (const secret of [webhookSecret, settings["PARTNER_CUSTOMER_ENDPOINT_SECRET"], "demo-client-secret"]) {
    expect(output).not.toContain(secret);
  }

  const home = await (await fetch(settings["PARTNER_BASE_URL"] ?? "")).text();
  expect(home).toContain("Other Books");
  expect(home).not.toContain("Plainbook");
  expect((await fetch(`${settings["PARTNER_BASE_URL"]}/sign-in`)).status).toBe(200);

  const back = await fetch(`${registered(output, "Redirect address")}?code=c&state=s`, { redirect: "manual" });
  expect(back.headers.get("location")).toContain("/callback/problem?reason=unknown_attempt");

  const body = JSON.stringify({ webhook_type: "ping" });
  const sentAtSeconds = Math.floor(Date.now() / 1000);
  const signed = signatureHeaders({ webhookId: "ping-1", sentAtSeconds, body }, [webhookSecret]);
  const webhooks = registered(output, "Webhooks address");
  expect((await fetch(webhooks, { method: "POST", headers: signed, body })).status).toBe(202);
  expect((await fetch(webhooks, { method: "POST", body })).status).toBe(401);

  const customer = `${registered(output, "Customers address")}/v1/customers/nobody`;
  const authorization = `Bearer ${settings["PARTNER_CUSTOMER_ENDPOINT_SECRET"]}`;
  expect((await fetch(customer, { headers: { authorization } })).status).toBe(404);
  expect((await fetch(customer)).status).toBe(401);
});

test("Harbor runs without its service and says it's unreachable", async () => {
  await service.stop();
  const { output } = await run("scripts/harbor.ts", { until: "Ctrl-C stops" });
  expect(output).toContain(`${service.url}/bank/api does not answer (connect ECONNREFUSED`);
  expect((await fetch(`${settings["PARTNER_BASE_URL"]}/sign-in`)).status).toBe(200);
});

test("data from one service isn't used with another", async () => {
  const first = await run("scripts/harbor.ts", { until: "Ctrl-C stops" });
  await end(first.child);
  settings["PARTNER_SERVICE_BASE_URL"] = `${service.url}/elsewhere`;
  const { code, output } = await run("scripts/harbor.ts", {});
  expect(code).toBe(1);
  expect(output).toContain(`from the service at ${service.url}/bank/api, but PARTNER_SERVICE_BASE_URL is now`);
  expect(output).toContain("delete that folder to start over");
});

// An empty variable counts as set, so the env file doesn't override it.
for (const name of [
  "PARTNER_SERVICE_BASE_URL",
  "PARTNER_CLIENT_ID",
  "PARTNER_WEBHOOK_SECRET",
  "PARTNER_SERVICE_NAME",
]) {
  test(`without ${name}, Harbor names the missing setting and starts nothing`, async () => {
    settings[name] = "";
    const { code, output } = await run("scripts/harbor.ts", {});
    expect(code).toBe(1);
    expect(output.trim()).toBe(`These settings are missing or invalid (see .env.example):\n  ${name}: is missing`);
  });
}

test("a taken port is reported in one sentence", async () => {
  const taken = createServer();
  const { port } = new URL(settings["PARTNER_BASE_URL"] ?? "");
  await new Promise<void>((done) => taken.listen(Number(port), "localhost", done));
  const { code, output } = await run("scripts/harbor.ts", {});
  taken.close();
  expect(code).toBe(1);
  expect(output.trim()).toMatch(new RegExp(`^Port ${port} is in use, and .* needs it: .*\\.$`));
});

test("npm start names the missing databases and how to get them", async () => {
  const { code, output } = await run("server.ts", {});
  expect(code).toBe(1);
  expect(output).toContain("No database is configured: set SERVICE_DATABASE_URL and PARTNER_DATABASE_URL");
  expect(output).toContain("`npm run harbor`");
  expect(output, "the log says the same").toContain('"error":{"name":"Error","message":"No database is configured');
});

test("npm start says the pages aren't built", async () => {
  Object.assign(settings, { ROLES: "partner", PARTNER_DATABASE_URL: "postgres://127.0.0.1:1/harbor" });
  settings["NEXT_DIST_DIR"] = join(folder, "no-build");
  const { code, output } = await run("server.ts", {});
  expect(code).toBe(1);
  expect(output).toContain(`The pages are not built in ${folder}/no-build: run \`npm run build\` first.`);
});

test("npm start names an unusable database without its password", async () => {
  const database = `127.0.0.1:${await freePort()}`;
  // npm start doesn't read the example file.
  settings = {
    ...parseEnv(readFileSync(".env.example", "utf8")),
    ...settings,
    ROLES: "partner",
    PARTNER_DATABASE_URL: `postgres://harbor:hidden@${database}/books`,
  };
  const { code, output } = await run("server.ts", {});
  expect(code).toBe(1);
  expect(output).toContain(`The database books at ${database} cannot be used: connect ECONNREFUSED ${database}.`);
  expect(output).not.toContain("hidden");
});

/** Runs a program until it prints `until`, or until it exits. */
function run(file: string, { until }: { until?: string }) {
  const child = spawn(process.execPath, ["scripts/run.mjs", file], {
    env: settings,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  return new Promise<{ child: ChildProcess; code: number | null; output: string }>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
      if (until && output.includes(until)) resolve({ child, code: null, output });
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("close", (code) => {
      running.delete(child);
      if (until) reject(new Error(output));
      else resolve({ child, code, output });
    });
  });
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("close", () => resolve());
    child.kill("SIGINT");
  });
}

function registered(output: string, name: string): string {
  return new RegExp(`${name} +(\\S+)`).exec(output)?.[1] ?? "";
}

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "@playwright/test";
import { request } from "undici";
import { basicCredentials } from "../lib/kit/basic-credentials.ts";
import { freePort } from "../scripts/embedded-postgres.ts";
import { type RunningCommand, startCommand } from "./running-service.ts";
import { callService } from "./service-api.ts";

// `npm run service`: one JSON line for programs, readable messages for people, persistent data, and a clean stop.

const running = new Set<RunningCommand>();
let folder: string;
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gangway-service-"));
  // Under root, the database runs as another user.
  chmodSync(folder, 0o755);
});
test.afterEach(async () => {
  for (const command of running) command.child.kill("SIGTERM");
  for (const { ended } of running) await ended;
  running.clear();
  rmSync(folder, { recursive: true, force: true });
});

const person = {
  first_name: "Marta",
  last_name: "Quay",
  date_of_birth: "1990-01-31",
  ssn: "123456789",
  phone: "+12025550143",
  email: "marta@example.com",
  address1: "1 Harbor Street",
  city: "Oakland",
  state: "CA",
  postal_code: "94607",
  ip_address: "203.0.113.7",
};
const data = () => join(folder, "books");
const databaseRuns = () => existsSync(join(data(), "data/postmaster.pid"));

test("one line of JSON has everything a program needs; data persists, settings apply per start, and it stops with its database", async () => {
  const first = service("--port=0", `--data=${data()}`, "--redirect-uri=http://localhost:8080/back");
  const ready = await first.ready;
  expect(ready).toMatchObject({
    client_id: "demo-client",
    redirect_uris: ["http://localhost:8080/back"],
    webhook_url: null,
    data: data(),
  });
  const authorization = basicCredentials(ready["client_id"] ?? "", ready["client_secret"] ?? "");
  const accounts = async (url: string) => {
    const ledger = await callService(url, { authorization, method: "GET", path: "/sandbox/ledger" });
    return ledger["accounts"] as { id: string; user_id: string | null }[];
  };
  const owned = (await accounts(ready["base_url"] ?? "")).find(({ user_id }) => user_id === ready["business_user_id"]);
  expect(owned, "the business has its account").toBeDefined();
  expect((await fetch(`${ready["auth_url"]}/login/oauth/authorize`)).status, "the pages are served").toBe(400);
  expect((await fetch(`${ready["base_url"]}/sign-in`)).status, "nothing of Harbor is").toBe(404);

  const second = service("--port=0", `--data=${data()}`);
  expect(await second.ended, "one data folder, one process").toBe(1);
  expect(second.output).toEqual({
    stdout: "",
    stderr: expect.stringMatching(
      new RegExp(
        `The data in ${data()} is in use by process ${first.child.pid}, .*stop that one first\\..*delete .*used-by\\.\n$`,
      ),
    ),
  });

  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(0);
  expect(databaseRuns(), "kill ends PostgreSQL too").toBe(false);
  expect(first.output.stdout.trim().split("\n"), "nothing else is on standard output").toHaveLength(1);
  expect(first.output.stderr).toContain("Plainbook runs");
  expect(first.output.stderr).toContain(` ${ready["auth_url"]}/console `);

  const third = service("--port=0", `--data=${data()}`, "--client-name=The Shop");
  const restarted = await third.ready;
  expect(restarted, "options aren't saved; ids and secrets are").toEqual({
    ...ready,
    redirect_uris: ["http://localhost:3000/callback"],
    base_url: restarted["base_url"],
    auth_url: restarted["auth_url"],
  });
  expect((await accounts(restarted["base_url"] ?? "")).map(({ id }) => id)).toContain(owned?.id);
  third.child.kill("SIGINT");
  expect(await third.ended).toBe(0);
  expect(databaseRuns(), "Ctrl-C ends PostgreSQL too").toBe(false);
});

test("an app in a container and a browser at localhost complete the whole flow; every redirect names the issuer", async ({
  page,
}) => {
  const received: { path: string; body: string }[] = [];
  const app = createServer(async (request, response) => {
    received.push({ path: request.url ?? "", body: await text(request) });
    response.end("back at the app");
  });
  const appPort = await freePort();
  await new Promise<void>((done) => app.listen(appPort, "127.0.0.1", done));
  try {
    const redirectUri = `http://127.0.0.1:${appPort}/back`;
    const hooks = `http://127.0.0.1:${appPort}/hooks`;
    const ready = await service(
      "--port=0",
      `--data=${data()}`,
      `--redirect-uri=${redirectUri}`,
      `--webhook-url=${hooks}`,
      "--trusted-authentication=off",
    ).ready;
    const { base_url: issuer = "", client_id = "", client_secret = "" } = ready;
    const { port } = new URL(issuer);
    const credentials = basicCredentials(client_id, client_secret);
    const call = async (method: "GET" | "POST", path: string, { authorization = credentials, body = "" } = {}) => {
      const headers = { host: `host.docker.internal:${port}`, authorization, "content-type": "application/json" };
      const answer = await request(issuer + path, { method, headers, ...(body && { body }) });
      return { status: answer.statusCode, json: (await answer.body.json()) as Record<string, string> };
    };
    const { json: intent } = await call("POST", "/v1/user_intent", { body: JSON.stringify(person) });
    await expect
      .poll(async () => (await call("GET", `/v1/user_intent/${intent["id"]}`)).json["status"])
      .toBe("approved");
    const { json: metadata } = await call("GET", "/.well-known/oauth-authorization-server");
    expect(metadata["issuer"]).toBe(issuer);

    const query = new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri: redirectUri,
      state: "a-state-of-the-app",
      user_intent_id: intent["id"] ?? "",
    });
    await page.goto(`http://localhost:${port}/login/oauth/authorize?${query}`);
    await expect(page).toHaveURL(new RegExp(`^${issuer}/login/oauth/authorize/`));
    await page.getByRole("button", { name: /^Sandbox phone/ }).click();
    await page.getByRole("button", { name: /^Enter code \d+/ }).click();
    await page.getByRole("button", { name: "Authorize" }).click();
    await expect(page.getByText("back at the app")).toBeVisible();
    const back = new URL(page.url()).searchParams;
    expect([back.get("iss"), back.get("state")]).toEqual([issuer, "a-state-of-the-app"]);

    const exchange = { grant_type: "authorization_code", code: back.get("code"), redirect_uri: redirectUri };
    const { json: tokens } = await call("POST", "/v1/oauth/token", { body: JSON.stringify(exchange) });
    const user = await call("GET", "/v1/user", { authorization: `Bearer ${tokens["access_token"]}` });
    expect(user).toMatchObject({ status: 200, json: { status: "approved" } });
    await expect.poll(() => received.find(({ path }) => path === "/hooks")?.body).toContain(intent["id"]);
    await page.goto(`http://localhost:${port}/console`);
    await expect(page).toHaveURL(new RegExp(`^${issuer}/console`));
    expect((await request(`${issuer}/v1/user`, { headers: { host: `rebound.example:${port}` } })).statusCode).toBe(421);
  } finally {
    app.close();
  }
});

test("the console works at a public URL that only browsers can reach, and a private network is reported", async ({
  playwright,
  launchOptions,
}) => {
  const port = await freePort();
  const publicUrl = `http://plainbook.test:${port}`;
  const words = [`--port=${port}`, "--host=0.0.0.0", `--public-url=${publicUrl}`];
  const command = service(...words, `--data=${data()}`, "--webhook-url=http://192.168.65.254:9/hooks");
  expect(await command.ready).toMatchObject({ base_url: publicUrl, auth_url: publicUrl });
  expect(command.output.stderr).toContain("add 192.168.0.0/16 to SERVICE_OUTBOUND_NETWORKS to allow it.");
  const args = [...(launchOptions.args ?? []), "--host-resolver-rules=MAP plainbook.test 127.0.0.1"];
  const browser = await playwright.chromium.launch({ ...launchOptions, args });
  try {
    const page = await browser.newPage();
    await page.goto(`${publicUrl}/console`);
    await page.getByRole("button", { name: /^Continue as/ }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Timeline" })).toBeVisible();
    await page.goto(`${publicUrl}/console/money`);
    await expect(page.getByText("so all entries always add up to zero")).toBeVisible();
    await expect(page.getByRole("heading", { name: "Accounts" })).toBeVisible();
    await expect(page.getByText(/\d{1,3},\d{3}\.\d\d/).first()).toBeVisible();
  } finally {
    await browser.close();
  }
});

test("kill during startup stops it with its database", async () => {
  const command = service("--port=0", `--data=${data()}`);
  await expect.poll(databaseRuns, { intervals: [10] }).toBe(true);
  command.child.kill("SIGTERM");
  expect(await command.ended).toBe(0);
  expect(databaseRuns()).toBe(false);
  expect(command.output.stdout).toBe("");
});

test("a taken port, an invalid option, and a folder with other files are each reported in one sentence, and nothing starts", async () => {
  const port = await freePort();
  const taken = createServer();
  await new Promise<void>((done) => taken.listen(port, "127.0.0.1", done));
  const takenPort = service(`--port=${port}`, `--data=${data()}`);
  expect(await takenPort.ended).toBe(1);
  expect(takenPort.output.stderr.trim()).toBe(
    `Port ${port} is in use, and http://127.0.0.1:${port} needs it: stop the program that uses it, or choose another one with --port.`,
  );
  taken.close();

  const unknownOption = service("--prot=4000");
  expect(await unknownOption.ended).toBe(2);
  expect(unknownOption.output.stderr).toMatch(/^--prot=4000 isn't an option; the options are --port, .*\.\n$/);

  writeFileSync(join(folder, "letters.txt"), "dear");
  const otherFiles = service("--port=0", `--data=${folder}`);
  expect(await otherFiles.ended).toBe(1);
  expect(otherFiles.output.stderr.trim()).toMatch(
    /^\S+ holds other files: --data must name a new or empty folder, .*\.$/,
  );

  for (const { output } of [takenPort, unknownOption, otherFiles]) expect(output.stdout).toBe("");
  expect(existsSync(data())).toBe(false);
});

test("Next loads with the first page, so the API doesn't wait for it", async () => {
  const notes = join(folder, "loaded");
  const preload = resolve("lib/service/testing/note-loaded-modules.ts");
  const env = { NODE_OPTIONS: `--import=${preload}`, LOADED_MODULES_FILE: notes };
  const { base_url: baseUrl } = await serviceWith(env, "--port=0", "--data=memory").ready;
  const hasNext = () => readFileSync(notes, "utf8").includes("/node_modules/next/");
  expect((await fetch(`${baseUrl}/openapi.json`)).status).toBe(200);
  expect(hasNext()).toBe(false);
  const pages = await Promise.all(["console", "console/sign-in"].map((path) => fetch(`${baseUrl}/${path}`)));
  expect(pages.map(({ status }) => status)).toEqual([200, 200]);
  expect(hasNext()).toBe(true);
});

test("with --data memory each start has a new database, and the next start deletes what a killed process left", async () => {
  const killed = service("--port=0", "--data=memory");
  const { data: left = "" } = await killed.ready;
  killed.child.kill("SIGKILL");
  await killed.ended;
  expect(existsSync(left)).toBe(true);

  const {
    base_url: baseUrl = "",
    client_id: id = "",
    client_secret: secret = "",
    data: used = "",
  } = await service("--port=0", "--data=memory").ready;
  expect(existsSync(left)).toBe(false);
  const { accounts } = await callService(baseUrl, {
    authorization: basicCredentials(id, secret),
    method: "GET",
    path: "/sandbox/ledger",
  });
  expect(accounts).not.toEqual([]);
  for (const { child, ended } of running) {
    child.kill("SIGTERM");
    await ended;
  }
  expect(existsSync(used)).toBe(false);
});

test("stops with its database when its parent process is killed", async () => {
  const program = join(folder, "starts-it.mjs");
  const options = [resolve("scripts/service.ts"), "--port=0", `--data=${data()}`];
  writeFileSync(
    program,
    `import { spawn } from "node:child_process";
    const env = { ...process.env, NEXT_DIST_DIR: ".next-test" };
    const child = spawn(process.execPath, ${JSON.stringify(options)}, { env, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    child.stderr.resume();
    child.stdout.once("data", () => process.stdout.write(String(child.pid), () => process.kill(process.pid, "SIGKILL")));`,
  );
  const { stdout } = spawnSync(process.execPath, [program], { encoding: "utf8" });
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(0);
  const isRunning = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  try {
    await expect.poll(isRunning).toBe(false);
    expect(databaseRuns()).toBe(false);
  } finally {
    if (isRunning()) process.kill(pid, "SIGKILL");
  }
});

function service(...words: string[]): RunningCommand {
  return serviceWith({}, ...words);
}

function serviceWith(env: Record<string, string>, ...words: string[]): RunningCommand {
  const parameters = ["scripts/run.mjs", "scripts/service.ts", ...words];
  const command = startCommand(process.execPath, parameters, { env: { NEXT_DIST_DIR: ".next-test", ...env } });
  running.add(command);
  return command;
}

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, type Page, test } from "@playwright/test";
import { assemble } from "../deploy/runtime-files.ts";
import { basicCredentials } from "../lib/kit/basic-credentials.ts";
import { findProgram } from "../scripts/debian-packages.ts";
import { freePort } from "../scripts/embedded-postgres.ts";

// The commands in docs/going-live.md, "Taking Plainbook live", are enough to get from an empty database server to a
// paid seller in production, with database roles that own nothing.

test.skip(!findProgram("psql"), "psql is not installed");

type Step = { kind: string; command: string; prints: string };
type Call = { method: string; path: string; body: Record<string, string> };

const [, section = ""] =
  /## Taking Plainbook live\n([\s\S]*?)\n## /.exec(readFileSync("docs/going-live.md", "utf8")) ?? [];
const steps: Step[] = [
  ...section.matchAll(/```sh live ?(.*)\n([\s\S]*?)```(?:\n\n```text prints\n([\s\S]*?)```)?/g),
].map(([, kind = "", command = "", prints = ""]) => ({ kind, command, prints }));

// Replaces the page's example addresses.
let replacements: [string, string][] = [];
const run = promisify(execFile);
const running = new Set<ChildProcess>();
const calls: Call[] = [];
let folder: string;
let outside: Server;
let admin: string;
const database = `live_${process.pid}`;
let baseUrl: string;
let shopUrl: string;

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gangway-live-"));
  assemble(join(folder, "app"), { pages: ".next-test" });
  cpSync("deploy", join(folder, "app/deploy"), { recursive: true });
  admin = process.env["TEST_POSTGRES_URL"] ?? "";
  await removeDatabase();
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()];
  const [port = 0, apiMetrics, workerMetrics, outsidePort = 0] = ports;
  baseUrl = `http://127.0.0.1:${port}`;
  shopUrl = `http://127.0.0.1:${outsidePort}`;
  replacements = [
    ["postgres://postgres:admin-password@db.internal:5432/postgres", admin],
    ["db.internal:5432", new URL(admin).host],
    ["gangway_service", database],
    ["https://api.plainbook.example", baseUrl],
    ["SERVICE_LISTEN=4000", `SERVICE_LISTEN=${port}\nSERVICE_OUTBOUND_NETWORKS=127.0.0.0/8`],
    ["https://shop.example", shopUrl],
    ["https://carrier.example", `${shopUrl}/carrier`],
    ["https://screening.example", `${shopUrl}/screening`],
    ["9101", String(apiMetrics)],
    ["9102", String(workerMetrics)],
  ];
  outside = await openOutside(outsidePort);
});
test.afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  outside?.close();
  await removeDatabase();
  rmSync(folder, { recursive: true, force: true });
});

test("the guide's commands go from an empty database server to a paid seller", async ({ page }) => {
  expect(steps.length).toBeGreaterThan(10);
  const printed: string[] = [];
  for (const { kind, command, prints } of steps.filter((step) => step.kind !== "last")) {
    const [isStart, port] = kind.split(" ");
    if (isStart === "start") await start(withSecret(command, printed), withReplacements(port ?? ""));
    else printed.push(await execute(withSecret(command, printed), prints));
  }
  const all = printed.join("\n");
  const secret = /client_secret: (\S+)/.exec(all)?.[1] ?? "";
  const [, businessId = ""] = /user_id: (\S+)/.exec(all) ?? [];
  const client = basicCredentials("shop", secret);
  const asClient = (method: string, path: string, body?: object) => call(method, path, { authorization: client, body });

  // A seller, screened by the provider and authenticated by the client.
  const { id: intentId } = await asClient("POST", "/v1/user_intent", seller);
  await expect.poll(async () => (await asClient("GET", `/v1/user_intent/${intentId}`))["status"]).toBe("approved");
  const sellerToken = await authorize(page, { client, customerId: "seller", person: { user_intent_id: intentId } });
  // The business's last sign-in is too long ago, so the pages ask for the texted code.
  const shopToken = await authorize(page, { client, customerId: "owner", person: { user_id: businessId } });
  expect(textTo("+12025550123")).toMatch(/\d{6}/);

  const [from] = await accountsOf(shopToken);
  const [to] = await accountsOf(sellerToken);
  const order = { name: "Sales of June", amount: 40.5, source_id: from?.["id"], destination_id: to?.["id"] };
  const authorization = `Bearer ${shopToken}`;
  const routine = await call("POST", "/v1/routines/book", { authorization, body: order });
  const transfer = `/v1/transfers/${routine["transfer_id"]}`;
  await expect.poll(async () => (await call("GET", transfer, { authorization }))["status"]).toBe("processed");
  expect((await accountsOf(sellerToken))[0]).toMatchObject({ available_balance: 40.5 });
  expect((await accountsOf(shopToken))[0]).toMatchObject({ available_balance: 24_959.5 });
  await expect.poll(() => webhooksAbout(String(routine["transfer_id"]))).toContain("transfer_updated");
  expect(webhooksAbout(String(intentId))).toContain("user_intent_updated");

  for (const { command, prints } of steps.filter((step) => step.kind === "last")) await execute(command, prints);
  const { stdout } = await run("npm", ["run", "-s", "keys:rotate", "--", "service"], releaseOptions());
  expect(stdout).toContain("0");
  for (const child of running) {
    child.kill("SIGTERM");
    expect((await once(child, "exit"))[0]).toBe(0);
    running.delete(child);
  }
});

/** Runs a command after the exports before it, and compares its output. */
async function execute(command: string, prints: string): Promise<string> {
  const at = steps.findIndex((step) => withReplacements(step.command) === command || step.command === command);
  const exports = steps.slice(0, Math.max(at, 0)).flatMap((step) => step.command.match(/^export .*$/gm) ?? []);
  const script = withReplacements([...exports, command].join("\n"));
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], releaseOptions());
  expect(stdout.trim()).toMatch(patternOf(withReplacements(prints)));
  return stdout;
}

// `…` matches any text; on its own line, any lines.
function patternOf(prints: string): RegExp {
  if (prints === "") return /^$/;
  const escaped = prints.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll(/^…$/gm, "[\\s\\S]*?").replaceAll("…", ".*?")}$`);
}

function withReplacements(words: string): string {
  return replacements.reduce((changed, [example, value]) => changed.replaceAll(example, value), words);
}

function withSecret(command: string, printed: string[]): string {
  const [, secret = "gwk_…"] = /client_secret: (\S+)/.exec(printed.join("\n")) ?? [];
  return command.replaceAll("gwk_…", secret);
}

function releaseOptions() {
  const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  return {
    cwd: join(folder, "app"),
    env: { PATH: path, HOME: folder, LOG_LEVEL: "warn", NODE_ENV: "production" as const },
  };
}

async function start(command: string, metricsPort: string): Promise<void> {
  const { env, cwd } = releaseOptions();
  const script = withReplacements(command).replace(
    "npm start",
    "exec node --max-old-space-size=512 scripts/run.mjs server.ts",
  );
  const child = spawn("bash", ["-c", script], { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
  running.add(child);
  const isReady = () =>
    fetch(`http://127.0.0.1:${metricsPort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(async () => child.exitCode === null && (await isReady())).toBe(true);
}

/** One server for the client, the carrier and the screening provider. */
async function openOutside(port: number): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { method = "", url: path = "" } = request;
    const body = await text(request);
    calls.push({ method, path, body: body.startsWith("{") ? JSON.parse(body) : {} });
    const answer = JSON.stringify(answerOf(path));
    response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return server;
}

function answerOf(path: string): object {
  const [, customerId = ""] = /^\/v1\/customers\/(\w+)$/.exec(path) ?? [];
  if (path === "/screening/checks") return { id: "check-1", outcome: "clear" };
  if (!customerId) return { id: "text-1" };
  const daysAgo = customerId === "seller" ? 0 : 40;
  return {
    customer_id: customerId,
    first_name: "Marta",
    last_name: "Quay",
    phone: customerId === "seller" ? seller.phone : "+12025550123",
    lastAuthenticationTime: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
  };
}

function textTo(phone: string): string {
  return calls.findLast(({ path, body }) => path === "/carrier/texts" && body["to"] === phone)?.body["text"] ?? "";
}

function webhooksAbout(resourceId: string): string[] {
  const about = calls.filter(({ path, body }) => path === "/webhooks" && body["resource_id"] === resourceId);
  return about.map(({ body }) => body["webhook_type"] ?? "");
}

type Authorization = { client: string; customerId: string; person: Record<string, unknown> };

/** Mints a session token, authorizes on the pages, and exchanges the code for an access token. */
async function authorize(page: Page, { client, customerId, person }: Authorization): Promise<string> {
  const verification = { provider: "shop", provider_data: { customer_id: customerId }, ...person };
  const path = "/v1/partner/identity/verification";
  const { token, trusted } = await call("POST", path, { authorization: client, body: verification });
  expect(trusted).toBe(customerId === "seller");
  const redirect_uri = `${shopUrl}/callback`;
  const ids = Object.fromEntries(Object.entries(person).map(([name, id]) => [name, String(id)]));
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "shop",
    redirect_uri,
    session_token: String(token),
    state: customerId,
    ...ids,
  });
  await page.goto(`${baseUrl}/login/oauth/authorize?${query}`);
  if (!trusted) {
    await expect.poll(() => textTo("+12025550123")).toMatch(/\d{6}/);
    const [code = ""] = /\d{6}/.exec(textTo("+12025550123")) ?? [];
    await page.getByRole("textbox", { name: "Verification code" }).fill(code);
  }
  await page.getByRole("button", { name: "Authorize" }).click();
  await expect(page).toHaveURL(/\/callback\?/);
  const back = new URL(page.url()).searchParams;
  expect([back.get("iss"), back.get("state")]).toEqual([baseUrl, customerId]);
  const exchange = { grant_type: "authorization_code", code: back.get("code"), redirect_uri };
  const tokens = await call("POST", "/v1/oauth/token", { authorization: client, body: exchange });
  return String(tokens["access_token"]);
}

async function accountsOf(token: string): Promise<Record<string, unknown>[]> {
  const { accounts } = await call("GET", "/v1/accounts", { authorization: `Bearer ${token}` });
  return accounts as Record<string, unknown>[];
}

async function call(
  method: string,
  path: string,
  { authorization, body }: { authorization: string; body?: object | undefined },
): Promise<Record<string, unknown>> {
  const headers = { authorization, "content-type": "application/json", "idempotency-key": randomUUID() };
  const answer = await fetch(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const json = (await answer.json()) as Record<string, unknown>;
  expect(answer.ok, `${method} ${path}: ${JSON.stringify(json)}`).toBe(true);
  return json;
}

async function removeDatabase(): Promise<void> {
  const dropDatabase = `drop database if exists ${database} with (force)`;
  for (const statement of [dropDatabase, "drop role if exists plainbook", "drop role if exists plainbook_owner"]) {
    await run("psql", [admin, "-q", "-c", statement]);
  }
}

const seller = {
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

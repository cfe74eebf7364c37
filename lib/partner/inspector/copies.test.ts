import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createClient } from "#client";
import people from "../../contract/examples/people.json" with { type: "json" };
import { webhookTypes } from "../../contract/webhooks.ts";
import { newId } from "../../kit/ids.ts";
import { type ReceivedRequest, startFakeServer } from "../../kit/testing/fake-server.ts";
import { copiesOf } from "./copies.ts";
import { inspectWith } from "./create-inspector.ts";
import { redactMessage } from "./redact.ts";
import type { EntryDetails } from "./schema.ts";

// A copied snippet runs, repeats the request, and contains no credentials or personal data.

const run = promisify(execFile);
const server = await startFakeServer();
const folder = mkdtempSync(join(tmpdir(), "gangway-copies-"));
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  server.requests.length = 0;
  server.answer((_request, response) => response.writeHead(204).end());
});

const formType = "application/x-www-form-urlencoded";
const webhookSecret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const env: NodeJS.ProcessEnv = {
  NODE_ENV: "production",
  PATH: `${process.env["PATH"]}${delimiter}${curlIfMissing()}`,
  PARTNER_SERVICE_BASE_URL: server.url,
  PARTNER_BASE_URL: server.url,
  PARTNER_CLIENT_ID: "harbor",
  PARTNER_CLIENT_SECRET: "client-secret",
  PARTNER_CUSTOMER_ENDPOINT_SECRET: "endpoint-secret",
  // As during a rotation: the copy signs with the current secret.
  PARTNER_WEBHOOK_SECRET: `${webhookSecret}, whsec_b2xk`,
  ACCESS_TOKEN: "access-token",
  CODE: "the-code",
  CODE_VERIFIER: "the-verifier & more=100%",
  REFRESH_TOKEN: "the-refresh-token",
  TOKEN: "the-token",
  ...Object.fromEntries(
    Object.entries(people.UserIntentCreation).map(([name, value]) => [name.toUpperCase(), String(value)]),
  ),
  ...Object.fromEntries(
    Object.entries(people.UserIntentCreation.metadata).map(([name, value]) => [
      `METADATA_${name.toUpperCase().replaceAll(/\W/g, "_")}`,
      value,
    ]),
  ),
};

const {
  metadata: _pairs,
  first_name: _first,
  last_name: _last,
  city: _city,
  state: _state,
  ...personal
} = people.UserIntentCreation;
const secrets = [...Object.values(personal), "v1,abc", "access-token", "client-secret", "endpoint-secret"].concat([
  "the-code",
  "the-verifier",
  "the-refresh-token",
  "the-token",
  webhookSecret,
]);

const kept: EntryDetails[] = [];
const inspector = inspectWith(({ details }) => void kept.push(details));

const credentials = { clientId: "harbor", clientSecret: "client-secret", provider: "harbor" };
const client = createClient({ baseUrl: server.url, ...credentials, observe: inspector.call });
const key = newId();
const token = "access-token";
const odd = { name: 'Lamps "$HOME" `id` \\ it\'s', amount: 12.5, source_id: newId(), destination_id: newId() };
const redirect = { redirectUri: "http://localhost/callback", codeVerifier: env["CODE_VERIFIER"] };

// Every call of the client; the type requires them all.
const calls: Record<keyof typeof client, () => Promise<unknown>> = {
  createUserIntent: () =>
    client.createUserIntent({ ...people.UserIntentCreation, state: "CA" }, { idempotencyKey: key }),
  readUserIntent: () => client.readUserIntent(key),
  createIdentityVerificationToken: () =>
    client.createIdentityVerificationToken({ customerId: newId(), subject: { user_intent_id: key } }),
  exchangeCode: () => client.exchangeCode({ code: "the-code", ...redirect }),
  refreshTokens: () => client.refreshTokens("the-refresh-token"),
  revokeTokens: () => client.revokeTokens("the-token"),
  readAuthorizationServerMetadata: () => client.readAuthorizationServerMetadata(),
  readUser: () => client.readUser(token),
  listAccounts: () => client.listAccounts(token),
  createBookRoutine: () => client.createBookRoutine(token, odd, { idempotencyKey: key }),
  voidBookRoutine: () => client.voidBookRoutine(token, { idempotencyKey: key }),
  readRoutine: () => client.readRoutine(token, key),
  listRoutines: () => client.listRoutines(token, { limit: 10, startingAfter: key }),
  readTransfer: () => client.readTransfer(token, key),
  listTransfers: () => client.listTransfers(token, { limit: 10 }),
  readSandboxClock: () => client.readSandboxClock(),
  advanceSandboxClock: () => client.advanceSandboxClock(7200),
  resetSandboxClock: () => client.resetSandboxClock(),
  decideUserIntent: () => client.decideUserIntent(key, { status: "rejected" }),
  decideUser: () => client.decideUser(key, { status: "approved" }),
  finishTransfer: () => client.finishTransfer(key, { status: "failed", failure_reason: "account_closed" }),
};

test.each(Object.entries(calls))("%s can be repeated with curl and TypeScript", async (_name, call) => {
  await call();
  const [made] = server.requests.splice(0);
  expect(made).toBeDefined();
  for (const received of await runCopiesOf(kept.pop())) expect(meaningOf(received)).toEqual(meaningOf(made));
});

test.each(["exchangeCode", "refreshTokens"] as const)("%s sent as a form can be repeated as one", async (call) => {
  server.answer(({ headers }, response) => {
    response.writeHead(headers["content-type"] === "application/json" ? 415 : 204).end();
  });
  await calls[call]();
  const made = server.requests.splice(0).at(-1);
  expect(made?.headers["content-type"]).toBe(formType);
  for (const received of await runCopiesOf(kept.pop())) expect(meaningOf(received)).toEqual(meaningOf(made));
});

test("a customer request can be repeated with curl and TypeScript", async () => {
  const headers = new Headers({ authorization: "Bearer endpoint-secret", accept: "application/json" });
  const answer = { status: 200, body: {}, why: undefined, startedAt: new Date() };
  inspector.answer({ customerId: "c-1", headers, ...answer });
  for (const received of await runCopiesOf(kept.pop())) {
    expect(received).toMatchObject({ method: "GET", path: "/v1/customers/c-1" });
    expect(received?.headers).toMatchObject(Object.fromEntries(headers));
  }
});

test.each(webhookTypes)("a webhook %s can be resent, with a new signature", async (webhook_type) => {
  const body = JSON.stringify({ webhook_type, webhook_id: key, user_id: newId(), resource_id: newId() });
  judge(body, { "webhook-id": key, "webhook-signature": "v1,abc" });
  for (const received of await runCopiesOf(kept.pop())) {
    expect(received).toMatchObject({ method: "POST", path: "/webhooks" });
    new Webhook(webhookSecret).verify(
      received?.body ?? "",
      Object.fromEntries(Object.entries(received?.headers ?? {}).map(([name, value]) => [name, String(value)])),
    );
    expect(JSON.parse(received?.body ?? "")).toEqual(JSON.parse(body));
  }
});

test("a webhook without an id isn't offered, because nothing could be signed", () => {
  judge(JSON.stringify({ webhook_type: "user_updated" }), {});
  expect(copiesOf(lastKept())).toBeUndefined();
});

test.each([
  ["was too long to keep", redactMessage({}, JSON.stringify({ words: "word ".repeat(2000) }))],
  ["was no JSON", redactMessage({}, "<p>")],
])("a request whose body %s is not offered", (_what, request) => {
  expect(copiesOf({ kind: "call", method: "POST", path: "/", outcome: "ok", problems: [], request })).toBeUndefined();
});

function judge(body: string, headers: Record<string, string>): void {
  const verdict = { outcome: "accepted", status: 202, why: undefined, startedAt: new Date() } as const;
  inspector.webhook({ body, headers: new Headers({ "content-type": "application/json", ...headers }), ...verdict });
}

function lastKept(): EntryDetails {
  const details = kept.pop();
  if (!details) throw new Error("Nothing was recorded.");
  return details;
}

/** The requests that this entry's curl and TypeScript copies send, in that order. */
async function runCopiesOf(details = lastKept()): Promise<(ReceivedRequest | undefined)[]> {
  const copies = copiesOf(details);
  for (const text of Object.values(copies ?? {})) for (const secret of secrets) expect(text).not.toContain(secret);
  await run("sh", ["-c", copies?.curl ?? ""], { env });
  const file = join(folder, "copied.ts");
  writeFileSync(file, copies?.typeScript ?? "");
  await run(process.execPath, [file], { env });
  expect(server.requests).toHaveLength(2);
  return [...server.requests];
}

/** The parts of a request that equivalent requests share. */
function meaningOf(request: ReceivedRequest | undefined) {
  const { method, path, headers, body } = request ?? {};
  const names = ["authorization", "accept", "content-type", "idempotency-key"];
  const sent = Object.fromEntries(names.map((name) => [name, headers?.[name]]));
  const isForm = sent["content-type"] === formType;
  return { method, path, said: sent, body: body && (isForm ? [...new URLSearchParams(body)] : JSON.parse(body)) };
}

/** A folder with a stand-in for `curl`; empty if the real one is installed. */
function curlIfMissing(): string {
  try {
    execFileSync("sh", ["-c", "command -v curl"]);
    return "";
  } catch {
    const program = `#!${process.execPath}
const [, , method, address, ...rest] = process.argv.slice(2);
const headers = {};
let body;
for (let at = 0; at < rest.length; at += 2) {
  const [option, value] = [rest[at], rest[at + 1]];
  if (option === "-u") headers.authorization = "Basic " + btoa(value);
  if (option === "-H") headers[value.split(": ")[0]] = value.slice(value.indexOf(": ") + 2);
  if (option === "--data-urlencode") (body ??= new URLSearchParams()).append(...value.split(/=(.*)/s));
  if (option === "--data-binary") body = value === "@-" ? require("node:fs").readFileSync(0, "utf8") : value;
}
fetch(address, { method, headers, body });
`;
    writeFileSync(join(folder, "curl"), program);
    chmodSync(join(folder, "curl"), 0o755);
    return folder;
  }
}

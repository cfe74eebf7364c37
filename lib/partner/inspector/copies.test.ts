import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeEach, expect, test } from "vitest";
import createUserIntent from "../../contract/examples/create-user-intent.json" with { type: "json" };
import { newId } from "../../kit/ids.ts";
import { startFakeServer } from "../../kit/testing/fake-server.ts";
import { copiesOf } from "./copies.ts";
import type { EntryDetails } from "./entry.ts";
import { redactMessage } from "./redact.ts";

// The guarantee: what is copied runs, makes the same request again, and holds no credential and nothing personal.

const run = promisify(execFile);
const server = await startFakeServer();
const folder = mkdtempSync(join(tmpdir(), "gangway-copies-"));
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  server.requests.length = 0;
});

const webhookSecret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const env: NodeJS.ProcessEnv = {
  NODE_ENV: "production",
  PATH: `${process.env["PATH"]}${delimiter}${curlIfMissing()}`,
  PARTNER_SERVICE_BASE_URL: server.url,
  PARTNER_BASE_URL: server.url,
  PARTNER_CLIENT_ID: "harbor",
  PARTNER_CLIENT_SECRET: "client-secret",
  PARTNER_CUSTOMER_ENDPOINT_SECRET: "endpoint-secret",
  // As while it is replaced: the copy signs with the current one.
  PARTNER_WEBHOOK_SECRET: `${webhookSecret}, whsec_b2xk`,
  ACCESS_TOKEN: "access-token",
  CODE: "the-code",
  ...Object.fromEntries(Object.entries(createUserIntent).map(([name, value]) => [name.toUpperCase(), String(value)])),
  ...Object.fromEntries(
    Object.entries(createUserIntent.metadata).map(([name, value]) => [
      `METADATA_${name.toUpperCase().replaceAll(/\W/g, "_")}`,
      value,
    ]),
  ),
};

const key = newId();
const odd = { name: 'Lamps "$HOME" `id` \\ it\'s', amount: 12.5, source_id: newId(), destination_id: newId() };
const calls: [string, Partial<EntryDetails>, Record<string, string>, object | undefined, string][] = [
  [
    "with a person's data",
    { path: "/v1/user_intent" },
    { authorization: "Basic abc", "idempotency-key": key },
    createUserIntent,
    "Basic aGFyYm9yOmNsaWVudC1zZWNyZXQ=",
  ],
  [
    "with what a shell would expand",
    { path: "/v1/routines/book" },
    { authorization: "Bearer abc", "idempotency-key": key },
    odd,
    "Bearer access-token",
  ],
  [
    "with a code",
    { path: "/v1/oauth/token" },
    { authorization: "Basic abc" },
    { grant_type: "authorization_code", code: "the-code" },
    "Basic aGFyYm9yOmNsaWVudC1zZWNyZXQ=",
  ],
  [
    "without a body",
    { method: "GET", path: "/v1/transfers", query: "limit=10" },
    { authorization: "Bearer abc" },
    undefined,
    "Bearer access-token",
  ],
  ["to Harbor", { kind: "answer", method: "GET", path: "/v1/customers/c-1" }, {}, undefined, "Bearer endpoint-secret"],
];

test.each(calls)(
  "a request %s can be made again by curl and by TypeScript",
  async (_what, fields, headers, body, authorization) => {
    const sent = { ...headers, accept: "application/json", ...(body && { "content-type": "application/json" }) };
    const request = redactMessage(sent, body && JSON.stringify(body));
    const details: EntryDetails = {
      kind: "call",
      method: "POST",
      path: "/",
      outcome: "ok",
      problems: [],
      ...fields,
      request,
    };
    const { curl, typeScript } = await runBoth(details);
    const address = details.query ? `${details.path}?${details.query}` : details.path;
    for (const received of [curl, typeScript]) {
      expect(received).toMatchObject({ method: details.method, path: address });
      expect(received?.headers).toMatchObject({ ...sent, authorization });
      expect(received?.body ? JSON.parse(received.body) : undefined).toEqual(body);
    }
  },
);

test("a webhook can be sent again, signed anew", async () => {
  const body = JSON.stringify({
    webhook_type: "user_updated",
    webhook_id: key,
    user_id: newId(),
    resource_id: newId(),
  });
  const request = redactMessage(
    { "content-type": "application/json", "webhook-id": key, "webhook-signature": "v1,abc" },
    body,
  );
  const kinds = { kind: "webhook", method: "POST", path: "/webhooks", outcome: "accepted" } as const;
  for (const received of Object.values(await runBoth({ ...kinds, problems: [], request }))) {
    expect(received).toMatchObject({ method: "POST", path: "/webhooks" });
    new Webhook(webhookSecret).verify(
      received?.body ?? "",
      Object.fromEntries(Object.entries(received?.headers ?? {}).map(([name, value]) => [name, String(value)])),
    );
    expect(JSON.parse(received?.body ?? "")).toEqual(JSON.parse(body));
  }
});

test.each([
  ["was too long to keep", redactMessage({}, JSON.stringify({ words: "word ".repeat(2000) }))],
  ["was no JSON", redactMessage({}, "<p>")],
])("a request whose body %s is not offered", (_what, request) => {
  expect(copiesOf({ kind: "call", method: "POST", path: "/", outcome: "ok", problems: [], request })).toBeUndefined();
});

async function runBoth(details: EntryDetails) {
  const copies = copiesOf(details);
  const {
    metadata: _pairs,
    first_name: _first,
    last_name: _last,
    city: _city,
    state: _state,
    ...personal
  } = createUserIntent;
  for (const text of [copies?.curl ?? "", copies?.typeScript ?? ""]) {
    for (const secret of [...Object.values(personal), "abc", "the-code"]) expect(text).not.toContain(secret);
  }
  await run("sh", ["-c", copies?.curl ?? ""], { env });
  const file = join(folder, "copied.ts");
  writeFileSync(file, copies?.typeScript ?? "");
  await run(process.execPath, [file], { env });
  const [curl, typeScript] = server.requests;
  expect(server.requests).toHaveLength(2);
  return { curl, typeScript };
}

/** A folder with a program that does what `curl` is asked to here; none where the machine has the real one. */
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
  if (option === "--data-binary") body = value === "@-" ? require("node:fs").readFileSync(0, "utf8") : value;
}
fetch(address, { method, headers, body });
`;
    writeFileSync(join(folder, "curl"), program);
    chmodSync(join(folder, "curl"), 0o755);
    return folder;
  }
}

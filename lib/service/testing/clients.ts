import { basicCredentials } from "../../kit/basic-credentials.ts";
import { newId } from "../../kit/ids.ts";
import { memoize } from "../../kit/memoize.ts";
import { newSecret } from "../../kit/secrets.ts";
import { newPhone } from "../../kit/testing/phones.ts";
import { newWebhookSecret } from "../operations/clients/new-secrets.ts";
import { registerClient, type SandboxClient } from "../sandbox/clients.ts";
import { advanceClock as advanceStoredClock } from "../sandbox/storage/clocks.ts";
import { inTransaction } from "../storage/database.ts";
import { createSandboxApi } from "./listening-service.ts";

export const testRedirectUri = "https://partner.example/callback?from=plainbook";

/** Basic authentication as the client is the default; `bearer` or `authorization` replace it. */
export type CallOptions = {
  body?: unknown;
  form?: Record<string, string> | string;
  /** Sent unchanged; set the content-type in the headers. */
  rawBody?: BodyInit;
  bearer?: string;
  /** null: no Authorization header at all. */
  authorization?: string | null;
  headers?: Record<string, string>;
};

/** `json` is empty when the body isn't a JSON object. */
export type CallAnswer = { status: number; headers: Headers; text: string; json: Record<string, unknown> };

/** A client for one test, and a function that calls the API as that client. */
export type TestClient = SandboxClient & {
  redirectUri: string;
  call: (method: string, path: string, options?: CallOptions) => Promise<CallAnswer>;
};

export type ClientKey = Pick<TestClient, "clientId">;

const api = memoize(createSandboxApi);

/**
 * A client with its own clock, so that tests can run concurrently, and an approved business user whose operating
 * account holds 25,000.00. Trusted authentication is enabled by default.
 */
export async function createTestClient({ isTrusted = true } = {}): Promise<TestClient> {
  const client: SandboxClient = {
    // Production refuses a database with a sandbox client's ids.
    clientId: `some-client-${newId()}`,
    clientSecret: newSecret("gwk_"),
    provider: "partner",
    webhookSecret: newWebhookSecret(),
    customerEndpointSecret: newSecret("gwe_"),
    businessProfileId: newId(),
    businessUserId: newId(),
    businessUserPhone: newPhone(),
  };
  const settings = {
    name: "Harbor & Sons",
    redirectUris: [testRedirectUri],
    customersUrl: null,
    webhookUrl: null,
    isTrustedAuthenticationEnabled: isTrusted,
  };
  await inTransaction((tx) => registerClient(tx, client, settings));
  return {
    ...client,
    redirectUri: testRedirectUri,
    call: (method, path, options = {}) => callApi(client, method, path, options),
  };
}

async function callApi(
  { clientId, clientSecret }: SandboxClient,
  method: string,
  path: string,
  { body, form, rawBody, bearer, authorization, headers = {} }: CallOptions,
): Promise<CallAnswer> {
  const basic = authorization === undefined ? basicCredentials(clientId, clientSecret) : authorization;
  const credentials = bearer === undefined ? basic : `Bearer ${bearer}`;
  const request = new Request(`http://127.0.0.1:4000${path}`, {
    method,
    headers: {
      ...(credentials !== null && { authorization: credentials }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(form !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
      ...headers,
    },
    body: rawBody ?? (form !== undefined ? new URLSearchParams(form).toString() : null) ?? jsonText(body),
  });
  const response = await (await api()).fetch(request);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parseObject(text) };
}

function jsonText(body: unknown): string | null {
  return body === undefined ? null : JSON.stringify(body);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

const aheadSecondsMax = 100 * 365 * 86_400;

/** Moves one client's clock forward without waking workers. */
export async function advanceClock({ clientId }: ClientKey, seconds: number): Promise<void> {
  await inTransaction((tx) => advanceStoredClock(tx, { clientId, seconds, aheadSecondsMax }));
}

/** A client whose webhooks go to this address. */
export async function createWebhookClient(url: string): Promise<TestClient> {
  const client = await createTestClient();
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url } });
  return client;
}

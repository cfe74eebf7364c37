import { memoize } from "../../kit/memoize.ts";
import { createSandboxClient, type SandboxClient } from "../sandbox/create-client.ts";
import { createSandboxApi } from "./sandbox-api.ts";

/** What a call may carry. Basic authentication as the client is the default; `bearer` or `authorization` replace it. */
export type CallOptions = {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as a form. */
  form?: Record<string, string> | string;
  /** Sent as it stands, with whatever content-type the headers say. */
  rawBody?: BodyInit;
  bearer?: string;
  /** null: no Authorization header at all. */
  authorization?: string | null;
  headers?: Record<string, string>;
};

/** An answer, read. `json` is empty when the body is no JSON object. */
export type CallAnswer = { status: number; headers: Headers; text: string; json: Record<string, unknown> };

/** A client made for one test, and a way to call the API as that client. */
export type FreshClient = SandboxClient & {
  call: (method: string, path: string, options?: CallOptions) => Promise<CallAnswer>;
};

const api = memoize(createSandboxApi);

/** A fresh sandbox client (own clock, business user, operating account with 25,000.00), so that tests run side by side. */
export async function freshClient(): Promise<FreshClient> {
  const client = await createSandboxClient();
  return { ...client, call: (method, path, options = {}) => callApi(client, method, path, options) };
}

/** The Authorization header of a client, as Decision D2 wants it. */
export function basicCredentials(clientId: string, clientSecret: string): string {
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
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

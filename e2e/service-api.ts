import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { basicCredentials } from "../lib/kit/testing/basic-credentials.ts";

/** A call of the service's API: by whom, and what. */
export type ServiceCall = { authorization: string; method: string; path: string; body?: object };

/** Calls the service and returns its JSON answer; throws when that is a refusal. */
export async function callService(
  serviceUrl: string,
  { authorization, method, path, body }: ServiceCall,
): Promise<Record<string, unknown>> {
  const headers = { authorization, ...(body && { "content-type": "application/json" }) };
  const answer = await fetch(`${serviceUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

/** The Authorization header of the client that Harbor is in the demo. */
export function demoCredentials(): string {
  const demo = parseEnv(readFileSync(".env.example", "utf8"));
  return basicCredentials(demo["PARTNER_CLIENT_ID"] ?? "", demo["PARTNER_CLIENT_SECRET"] ?? "");
}

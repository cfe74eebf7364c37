import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { basicCredentials } from "../lib/kit/basic-credentials.ts";

export type ServiceCall = { authorization: string; method: string; path: string; body?: object };

/** Calls the service and returns its JSON; throws on an error status. */
export async function callService(
  serviceUrl: string,
  { authorization, method, path, body }: ServiceCall,
): Promise<Record<string, unknown>> {
  const headers = { authorization, ...(body && { "content-type": "application/json" }) };
  const answer = await fetch(`${serviceUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

/** The demo client's Authorization header. */
export function demoCredentials(): string {
  const demo = parseEnv(readFileSync(".env.example", "utf8"));
  return basicCredentials(demo["PARTNER_CLIENT_ID"] ?? "", demo["PARTNER_CLIENT_SECRET"] ?? "");
}

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

/** The sum of the demo client's ledger entries; it must be zero. */
export async function readLedgerSumCents(serviceUrl: string): Promise<number> {
  const call = { authorization: demoCredentials(), method: "GET", path: "/sandbox/ledger" };
  const { entries } = (await callService(serviceUrl, call)) as { entries: { amount: number }[] };
  if (entries.length === 0) throw new Error("The ledger is empty, so there's nothing to sum.");
  return entries.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
}

import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { runStatements } from "../../scripts/run-statements.ts";
import type { RunClient } from "./people.ts";

/** Settings for a run's processes, as in production, with these databases and addresses. */
export function processSettings<Own extends Record<string, string>>(own: Own) {
  return {
    ...parseEnv(readFileSync(".env.example", "utf8")),
    PATH: process.env["PATH"],
    NEXT_DIST_DIR: process.env["NEXT_DIST_DIR"] ?? "",
    NODE_ENV: "production" as const,
    ...own,
    // Short, so that screening and settlement are always in progress.
    SERVICE_SETTLEMENT_DELAY_MS: "200",
    LOG_LEVEL: "warn",
    LOG_FILE: "",
  };
}

/** Harbor's settings as this client of a service. */
export function settingsOfHarbor({ client }: RunClient, url: string, serviceUrl: string) {
  return {
    PARTNER_BASE_URL: url,
    PARTNER_SERVICE_BASE_URL: serviceUrl,
    PARTNER_SERVICE_AUTH_URL: serviceUrl,
    PARTNER_CLIENT_ID: client.clientId,
    PARTNER_CLIENT_SECRET: client.clientSecret,
    PARTNER_WEBHOOK_SECRET: client.webhookSecret,
  };
}

/** How often each webhook arrived at Harbor. */
export async function receiptsOf(databaseUrl: string): Promise<Map<string, number>> {
  const receipts = await runStatements<{ id: string; duplicates: number }>(
    databaseUrl,
    "select webhook_id as id, duplicates from webhook_receipts",
  );
  return new Map(receipts.map(({ id, duplicates }) => [id, 1 + duplicates]));
}

/** Problems with Harbor at the end of a run, as sentences. */
export async function findHarborProblems(url: string, receipts: Map<string, number>): Promise<string[]> {
  const isReady = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
  return [...(isReady ? [] : ["Harbor isn't ready."]), ...(receipts.size > 0 ? [] : ["Harbor got no event."])];
}

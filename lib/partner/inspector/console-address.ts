import type { Partner } from "../partner.ts";
import type { Entry } from "./schema.ts";

/** The service's console, if it has one (Decision D20). */
export function consoleAddress(partner: Partner): string | undefined {
  const { hasServiceConsole, serviceAuthUrl } = partner.config;
  return hasServiceConsole ? `${serviceAuthUrl}/console` : undefined;
}

/** This exchange in the service's console; undefined if the console doesn't have it. */
export function consoleAddressOf(
  partner: Partner,
  entry: Pick<Entry, "kind" | "path" | "outcome" | "requestId" | "traceId" | "request">,
) {
  const address = consoleAddress(partner);
  const query = queryOf(entry);
  return address && query && `${address}?${new URLSearchParams(query)}`;
}

function queryOf({
  kind,
  path,
  outcome,
  requestId,
  traceId,
  request: { headers },
}: Parameters<typeof consoleAddressOf>[1]): Record<string, string> | undefined {
  const webhookId = headers["webhook-id"];
  if (kind === "webhook") return webhookId ? { join: `webhook:${webhookId}` } : undefined;
  const join = `trace:${traceId}`;
  if (kind === "answer") return { kind: "customer", join };
  // The console doesn't record calls without a credential, or calls that never arrived.
  if (outcome === "not_sent" || !headers["authorization"]) return undefined;
  // Sandbox calls have no request id. The trace also finds entries beyond the first page.
  return requestId && !path.startsWith("/sandbox/") ? { q: requestId, join } : { join };
}

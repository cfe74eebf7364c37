import type { Partner } from "../partner.ts";
import type { Entry } from "../storage/inspector-entry.ts";

/** The service's console: what it saw of this client. Undefined at a service that is not said to have one. Decision D20 */
export function consoleAddress(partner: Partner): string | undefined {
  const { hasServiceConsole, serviceAuthUrl } = partner.config;
  return hasServiceConsole ? `${serviceAuthUrl}/console` : undefined;
}

/** The step of the service's console that is this very exchange; undefined for one of which the service keeps or shows nothing. */
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
  // The service cannot say whose a call without a credential is, and knows nothing of one that never reached it.
  if (outcome === "not_sent" || !headers["authorization"]) return undefined;
  // Of a step of the sandbox it keeps no request id. The trace beside the id finds what is too old for the first page, too.
  return requestId && !path.startsWith("/sandbox/") ? { q: requestId, join } : { join };
}

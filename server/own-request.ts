import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { App } from "./app-paths.ts";
import type { Forwarding } from "./forwarding.ts";

// Known to this process alone.
const mark = randomBytes(32).toString("hex");

/**
 * Marks a request that Next handles. After an action that redirects, Next requests the new page from us with the headers of
 * the first request, mark included; the host of that request is the address we are bound to and not the public one.
 */
export function markOwnRequest(request: IncomingMessage): void {
  request.headers["x-gangway-own-request"] = mark;
}

/** Who sent the request that Next repeats for a redirect; undefined when it is anybody else's request. */
export function readOwnRequest({ method, headers }: IncomingMessage, app: App, host: string): Forwarding | undefined {
  const given = Buffer.from(String(headers["x-gangway-own-request"] ?? ""));
  if (method !== "GET" || given.length !== mark.length || !timingSafeEqual(given, Buffer.from(mark))) return undefined;
  if (headers["x-gangway-app"] !== app) return undefined;
  return { clientAddress: String(headers["x-gangway-client-address"] ?? ""), host, protocol: undefined };
}

import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { isAddress, isInNetworks, type Network, normalizeAddress } from "../lib/kit/networks.ts";
import type { App } from "./roles.ts";

/** As far as the sources can be trusted. */
export type Forwarding = {
  clientAddress: string;
  host: string | undefined;
  /** undefined: no trusted proxy has named it. */
  protocol: string | undefined;
};

/**
 * Reads a trusted proxy's forwarding headers: the client is the rightmost address of `x-forwarded-for` that is no trusted
 * proxy; scheme and host are the last ones named. From any other peer the headers are ignored. Decision D1
 */
export function readForwarding(request: IncomingMessage, trustedProxies: readonly Network[]): Forwarding {
  const peer = peerOf(request.socket);
  const { host } = request.headers;
  if (!isInNetworks(peer, trustedProxies)) return { clientAddress: peer, host, protocol: undefined };
  const protocol = lastOf(request.headers["x-forwarded-proto"])?.toLowerCase();
  return {
    clientAddress: findClient(peer, listOf(request.headers["x-forwarded-for"]), trustedProxies),
    host: lastOf(request.headers["x-forwarded-host"]) ?? host,
    protocol: protocol && `${protocol}:`,
  };
}

const peers = new WeakMap<Socket, string>();

// Once per connection, because reading an address is slow.
function peerOf(socket: Socket): string {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const peer = normalizeAddress(socket.remoteAddress ?? "");
  peers.set(socket, peer);
  return peer;
}

// Each proxy appends its peer's address, so an entry can be trusted only if the one to its right can.
function findClient(peer: string, chain: string[], trustedProxies: readonly Network[]): string {
  let client = peer;
  for (const entry of chain.toReversed()) {
    const address = normalizeAddress(withoutPort(entry));
    if (!isInNetworks(client, trustedProxies) || !isAddress(address)) break;
    client = address;
  }
  return client;
}

// Some proxies write `203.0.113.7:4711` and `[2001:db8::7]:4711`.
function withoutPort(entry: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

function lastOf(header: string | string[] | undefined): string | undefined {
  return listOf(header).at(-1);
}

function listOf(header: string | string[] | undefined): string[] {
  const entries = [header ?? []].flat().join(",").split(",");
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}

// Known to this process alone.
const mark = randomBytes(32).toString("hex");

/**
 * Marks a request for Next. After an action that redirects, Next requests the new page from this process with the headers of
 * the first request, but with the host that we are bound to.
 */
export function markOwnRequest(request: IncomingMessage): void {
  request.headers["x-gangway-own-request"] = mark;
}

/** The sender of the request that Next makes after a redirect; undefined for every other request. */
export function readOwnRequest({ method, headers }: IncomingMessage, app: App, host: string): Forwarding | undefined {
  const given = Buffer.from(String(headers["x-gangway-own-request"] ?? ""));
  if (method !== "GET" || given.length !== mark.length || !timingSafeEqual(given, Buffer.from(mark))) return undefined;
  if (headers["x-gangway-app"] !== app) return undefined;
  return { clientAddress: String(headers["x-gangway-client-address"] ?? ""), host, protocol: undefined };
}

/** The path of a request line, and the authority if its target is an absolute URL. */
export type Target = { authority: string | undefined; path: string };

/** Every server must accept an absolute URL as target (RFC 9112 section 3.2.2); its host is checked too. */
export function readTarget(url: string): Target {
  if (url.startsWith("/")) return { authority: undefined, path: url };
  const [, authority, rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (authority === undefined) return { authority, path: url };
  return { authority, path: rest.startsWith("/") ? rest : `/${rest}` };
}

/** Decision D1 */
export function isForHost(
  request: IncomingMessage,
  { host, protocol }: { host: string; protocol: string },
  { forwarding, target }: { forwarding: Forwarding; target: Target },
): boolean {
  const named = [forwarding.host, ...(target.authority === undefined ? [] : [target.authority])];
  const defaultPort = protocol === "https:" ? /:443$/ : /:80$/;
  return countHosts(request) <= 1 && named.every((name) => name?.toLowerCase().replace(defaultPort, "") === host);
}

// Node keeps the first of several; a proxy might have used the last.
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
}

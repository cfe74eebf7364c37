import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { isAddress, isInNetworks, type Network, normalizeAddress } from "../lib/kit/networks.ts";

/** Who sent a request, to which host and by which scheme, as far as the sources can be trusted. */
export type Forwarding = {
  clientAddress: string;
  host: string | undefined;
  /** undefined: no trusted proxy has named it. */
  protocol: string | undefined;
};

/**
 * Reads what a trusted proxy says about the request that it forwards: the client is the rightmost address of
 * `x-forwarded-for` that is no trusted proxy itself; scheme and host are the last ones named. From any other peer these
 * headers mean nothing, and the peer is the client. Decision D1
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

// Once a connection, because reading an address costs more than the rest of this file.
function peerOf(socket: Socket): string {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const peer = normalizeAddress(socket.remoteAddress ?? "");
  peers.set(socket, peer);
  return peer;
}

// Each proxy appends the address of its own peer, so an entry can be trusted only if the one to its right can.
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

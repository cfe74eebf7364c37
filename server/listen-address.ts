import { lookup } from "node:dns/promises";

/** An interface and a port of this machine. */
export type ListenAddress = { host: string; port: number };

/**
 * Where the listener for a base address binds: loopback unless LISTEN_HOST names another interface, whatever host the
 * base address names, because a public name belongs to a proxy (Decision D1). The port is the base address's unless a
 * setting names another. A host name is resolved here, so that the bound address is known.
 */
export async function findListenAddress(
  origin: string,
  { listenHost, listenPort }: { listenHost?: string | undefined; listenPort?: number | undefined },
): Promise<ListenAddress> {
  const { hostname, port, protocol } = new URL(origin);
  const named = hostname.replace(/^\[|\]$/g, "");
  const { address } = await lookup(listenHost ?? (isLoopback(named) ? named : "127.0.0.1"));
  return { host: address, port: listenPort ?? Number(port || (protocol === "https:" ? 443 : 80)) };
}

/** Where this process reaches its own listener without leaving the machine: what it is bound to, or loopback of the same kind. */
export function ownAddressOf({ host, port }: ListenAddress): ListenAddress {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port };
  return { host: host === "::" ? "::1" : host, port };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

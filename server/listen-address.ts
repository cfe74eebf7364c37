import { lookup } from "node:dns/promises";

export type ListenAddress = { host: string; port: number };

/** A `*_LISTEN` setting. */
export type ListenSetting = { host?: string | undefined; port: number };

const portMax = 65_535;

/** Parses `4000`, `0.0.0.0:4000` or `[::]:4000`; throws on anything else. */
export function parseListenSetting(setting: string): ListenSetting {
  const [, ipv6, name, digits] = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(setting.trim()) ?? [];
  const port = Number(digits);
  if (!(port >= 1 && port <= portMax)) throw new Error("not a port");
  return { host: ipv6 ?? name, port };
}

/** Parses one or two of these, separated by a comma: the API's, then the authorization pages'. */
export function parseServiceListenSetting(setting: string): ListenSetting[] {
  const parts = setting.split(",");
  if (parts.length > 2) throw new Error("more than two");
  return parts.map(parseListenSetting);
}

/**
 * Where the listener for a base address binds: on loopback, regardless of the base address's host, and on its port, unless `listen`
 * sets them (Decision D1). A host name is resolved here, so that the bound address is known.
 */
export async function findListenAddress(origin: string, listen?: ListenSetting): Promise<ListenAddress> {
  const { hostname, port, protocol } = new URL(origin);
  const named = hostname.replace(/^\[|\]$/g, "");
  const { address } = await lookup(listen?.host ?? (isLoopback(named) ? named : "127.0.0.1"));
  return { host: address, port: listen?.port ?? Number(port || (protocol === "https:" ? 443 : 80)) };
}

/** Where this process reaches its own listener on this machine. */
export function ownAddressOf({ host, port }: ListenAddress): ListenAddress {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port };
  return { host: host === "::" ? "::1" : host, port };
}

export function addressOf({ host, port }: ListenAddress): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

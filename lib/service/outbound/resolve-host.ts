import { type LookupAddress, promises } from "node:dns";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";

export type ResolveHost = (hostname: string) => Promise<LookupAddress[]>;

// Shorter than the connect timeout, so that DNS isn't mistaken for a host that doesn't respond.
const dnsTimeoutMs = 3000;
const missingCodes = new Set(["ENOTFOUND", "ENODATA"]);

/**
 * Resolves a host by /etc/hosts, else DNS, else the system, which knows more (search domains, mDNS). Queries DNS itself,
 * because only two of the system's lookups run at once: two domains whose DNS is down would block all others.
 */
export function createHostResolver({
  servers,
  hostsFile = "/etc/hosts",
}: {
  servers?: string[];
  hostsFile?: string;
} = {}): ResolveHost {
  const lookups = new Map<string, Promise<LookupAddress[]>>();

  async function resolve(hostname: string): Promise<LookupAddress[]> {
    const listed = await findInFile(hostsFile, hostname);
    if (listed.length > 0) return listed;
    const found = await queryDns(hostname, servers);
    return found.length > 0 ? found : promises.lookup(hostname, { all: true });
  }

  // One lookup of a host at a time, which bounds the sockets.
  return (hostname) => {
    const lookup = lookups.get(hostname) ?? resolve(hostname).finally(() => lookups.delete(hostname));
    lookups.set(hostname, lookup);
    return lookup;
  };
}

async function findInFile(file: string, hostname: string): Promise<LookupAddress[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
    return isIP(address) && names.includes(hostname) ? [{ address, family: isIP(address) }] : [];
  });
}

/** Returns no addresses if DNS says that there are none. */
async function queryDns(hostname: string, servers: string[] | undefined): Promise<LookupAddress[]> {
  // A new resolver, because each reads /etc/resolv.conf only once.
  const resolver = new promises.Resolver({ timeout: 1000, tries: 3 });
  if (servers) resolver.setServers(servers);
  const timeout = setTimeout(() => resolver.cancel(), dnsTimeoutMs);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  clearTimeout(timeout);
  const found = [
    ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  const failed = [v4, v6].find((result) => result.status === "rejected" && !missingCodes.has(result.reason.code));
  if (found.length === 0 && failed) {
    throw Object.assign(new Error(`DNS doesn't answer for ${hostname}.`), { code: "EAI_AGAIN" });
  }
  return found;
}

import { type LookupAddress, promises } from "node:dns";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";

export type ResolveHost = (hostname: string) => Promise<LookupAddress[]>;

// With the root's, shorter than the connect timeout, so that DNS isn't mistaken for a host that doesn't respond.
const hostTimeoutMs = 3000;

/**
 * Resolves a host by /etc/hosts, else DNS, else the system, which knows more (search domains, mDNS). Queries DNS itself,
 * because only two of the system's lookups run at once: two domains whose DNS is down would block all others.
 */
export function createHostResolver({
  servers,
  hostsFile = "/etc/hosts",
  rootTimeoutMs = 1000,
}: {
  servers?: string[];
  hostsFile?: string;
  rootTimeoutMs?: number;
} = {}): ResolveHost {
  const lookups = new Map<string, Promise<LookupAddress[]>>();

  async function resolve(hostname: string): Promise<LookupAddress[]> {
    const listed = await findInFile(hostsFile, hostname);
    if (listed.length > 0) return listed;
    const found = await queryDns(hostname, { servers, rootTimeoutMs });
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

/**
 * Returns no addresses if DNS says that there are none. If it gives no answer, asks it for the root: EAI_AGAIN means that
 * the resolver is down, another code that only this domain is.
 */
async function queryDns(
  hostname: string,
  { servers, rootTimeoutMs }: { servers: string[] | undefined; rootTimeoutMs: number },
): Promise<LookupAddress[]> {
  // A new resolver, because each reads /etc/resolv.conf only once.
  const resolver = new promises.Resolver({ timeout: 1000, tries: 3 });
  if (servers) resolver.setServers(servers);
  function within<T>(timeoutMs: number, queries: Promise<T>): Promise<T> {
    const timeout = setTimeout(() => resolver.cancel(), timeoutMs);
    return queries.finally(() => clearTimeout(timeout));
  }

  const queries = Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const [v4, v6] = await within(hostTimeoutMs, queries);
  const found = [
    ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  const failure = failureOf(v4) ?? failureOf(v6);
  if (found.length > 0 || failure === undefined) return found;
  const [root] = await within(rootTimeoutMs, Promise.allSettled([resolver.resolveNs(".")]));
  const code = failureOf(root) === undefined ? failure : "EAI_AGAIN";
  throw Object.assign(new Error(`DNS doesn't answer for ${hostname}.`), { code });
}

/** Undefined if DNS answered, even with nothing. */
function failureOf(result: PromiseSettledResult<unknown>): string | undefined {
  if (result.status === "fulfilled") return undefined;
  const { code } = result.reason;
  if (code === "ENOTFOUND" || code === "ENODATA") return undefined;
  return code === "ECANCELLED" ? "ETIMEOUT" : code;
}

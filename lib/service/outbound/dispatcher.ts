import { promises } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector } from "undici";
import { log } from "../../kit/log.ts";
import { processWide } from "../../kit/memoize.ts";
import { type Network, parseNetworks } from "../../kit/networks.ts";
import { serviceConfig } from "../config.ts";
import { createHostResolver, type ResolveHost } from "./resolve-host.ts";

export class AddressRefusedError extends Error {
  readonly code = "ADDRESS_REFUSED";

  constructor(address: string) {
    super(refusalOf(address));
    this.name = "AddressRefusedError";
  }
}

// Only in the log, because the client must not learn the address.
function refuseAddress(address: string): AddressRefusedError {
  const refused = new AddressRefusedError(address);
  log().warn(refused.message);
  return refused;
}

function refusalOf(address: string): string {
  return (
    `${address} is not a public address, so webhooks and customer endpoints can't use it: ` +
    `add ${networkOf(address)} to SERVICE_OUTBOUND_NETWORKS to allow it.`
  );
}

// Only these networks are entirely private. In others, such as link-local ones with cloud metadata, suggest one address.
const privateNetworks = parseNetworks("10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7");

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return "its network";
  const parsed = ipaddr.parse(address);
  const network = privateNetworks.find(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
  const [base, bits] = network ?? [parsed, parsed.kind() === "ipv4" ? 32 : 128];
  return `${base}/${bits}`;
}

/** Why no webhook or customer endpoint may be at this URL, if its host is an address. Names are resolved when dialed. */
export function findLiteralRefusal(url: string): string | undefined {
  const literal = literalOf(new URL(url).hostname);
  return isIP(literal) && !isAddressAllowed(literal, addressPolicy()) ? refusalOf(literal) : undefined;
}

/** Like `findLiteralRefusal`, but for the addresses that any URL's host resolves to now. */
export async function findResolvedRefusal(url: string): Promise<string | undefined> {
  const addresses = await promises.lookup(literalOf(new URL(url).hostname), { all: true }).catch(() => []);
  const refused = addresses.find(({ address }) => !isAddressAllowed(address, addressPolicy()));
  return refused && refusalOf(refused.address);
}

/** A URL's host, without the brackets of an IPv6 address. */
export function literalOf(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

function addressPolicy(): AddressPolicy {
  const { allowsLoopback, outboundNetworks: networks } = serviceConfig();
  return { allowsLoopback, networks };
}

/** For all outgoing calls: keep-alive, and only to allowed addresses (Decision D14). */
export const outboundDispatcher = processWide("service.outbound", (): Agent => {
  return createGuardedAgent(addressPolicy());
});

/** Checks addresses after name resolution and connects to exactly those, which defeats DNS rebinding. */
export function createGuardedAgent(policy: AddressPolicy, resolve: ResolveHost = createHostResolver()): Agent {
  // An aborted HTTP/2 request leaves its connection open, and a dead one would get every later request.
  const allowH2 = false;
  const connect = buildConnector({ allowH2, timeout: 5000, lookup: guardLookup(policy, resolve) });
  return new Agent({
    allowH2,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    connect: (options, callback) => {
      // Node skips the lookup for a literal address.
      const literal = literalOf(options.hostname);
      if (isIP(literal) && !isAddressAllowed(literal, policy)) callback(refuseAddress(literal), null);
      else connect(options, callback);
    },
  });
}

function guardLookup(policy: AddressPolicy, resolve: ResolveHost): LookupFunction {
  const resolveChecked = async (hostname: string) => {
    const addresses = await resolve(hostname);
    // One forbidden address among public ones suggests an attack.
    const refused = addresses.find(({ address }) => !isAddressAllowed(address, policy));
    const [first] = addresses;
    if (refused || !first) throw refuseAddress(refused?.address ?? hostname);
    return { addresses, first };
  };
  return (hostname, options, callback) => {
    resolveChecked(hostname).then(
      ({ addresses, first }) => (options.all ? callback(null, addresses) : callback(null, first.address, first.family)),
      (error) => callback(error, []),
    );
  };
}

/** Allowed in addition to public addresses: loopback in a sandbox, and the operator's networks. */
export type AddressPolicy = { allowsLoopback: boolean; networks: readonly Network[] };

/**
 * Whether the service may connect to this address. Public means globally routable unicast; addresses that embed another
 * (v4-mapped, NAT64, 6to4, Teredo) are refused, because it could be private. Decision D14
 */
export function isAddressAllowed(address: string, { allowsLoopback, networks }: AddressPolicy): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (networks.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits))) return true;
  const range = parsed.range();
  if (range === "loopback") return allowsLoopback;
  if (range !== "unicast") return false;
  // Only 2000::/3 is assigned as global unicast (RFC 4291 section 2.4).
  return parsed.kind() === "ipv4" || parsed.match(globalUnicast, 3);
}

const globalUnicast = ipaddr.parse("2000::");

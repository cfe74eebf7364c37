import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector } from "undici";
import { processWide } from "../../kit/memoize.ts";
import type { Network } from "../../kit/networks.ts";
import { serviceConfig } from "../config.ts";

export class AddressRefusedError extends Error {
  readonly code = "ADDRESS_REFUSED";

  constructor() {
    super("The address is not a public one.");
    this.name = "AddressRefusedError";
  }
}

/** For all outgoing calls: keep-alive, and only to allowed addresses (Decision D14). */
export const outboundDispatcher = processWide("service.outbound", (): Agent => {
  const { allowsLoopback, outboundNetworks: networks } = serviceConfig();
  return createGuardedAgent({ allowsLoopback, networks });
});

/** Checks addresses after name resolution and connects to those very addresses, which defeats DNS rebinding. */
export function createGuardedAgent(policy: AddressPolicy, resolve: typeof lookup = lookup): Agent {
  const connect = buildConnector({ timeout: 5000, lookup: guardLookup(policy, resolve) });
  return new Agent({
    pipelining: 1,
    keepAliveTimeout: 10_000,
    connect: (options, callback) => {
      // Node skips the lookup for a literal address.
      const literal = options.hostname.replace(/^\[(.*)\]$/, "$1");
      if (isIP(literal) && !isAddressAllowed(literal, policy)) callback(new AddressRefusedError(), null);
      else connect(options, callback);
    },
  });
}

function guardLookup(policy: AddressPolicy, resolve: typeof lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      // One forbidden address among public ones suggests an attack.
      if (addresses.length === 0 || !addresses.every(({ address }) => isAddressAllowed(address, policy))) {
        return callback(new AddressRefusedError(), []);
      }
      const [first] = addresses;
      if (options.all || !first) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
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

import ipaddr from "ipaddr.js";
import type { Network } from "../../kit/networks.ts";

/** Which addresses the service may dial beyond public ones: loopback in a sandbox, and networks that an operator names. */
export type AddressPolicy = { allowsLoopback: boolean; networks: readonly Network[] };

/**
 * Whether the service may connect to this address. Public means globally routable unicast: whatever carries another
 * address inside (v4-mapped, NAT64, 6to4, Teredo) is refused, because it could carry a private one. Decision D14
 */
export function isAddressAllowed(address: string, { allowsLoopback, networks }: AddressPolicy): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (networks.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits))) return true;
  const range = parsed.range();
  if (range === "loopback") return allowsLoopback;
  if (range !== "unicast") return false;
  // Only 2000::/3 is handed out as global unicast (RFC 4291 section 2.4); the rest of IPv6 is local or not assigned.
  return parsed.kind() === "ipv4" || parsed.match(globalUnicast, 3);
}

const globalUnicast = ipaddr.parse("2000::");

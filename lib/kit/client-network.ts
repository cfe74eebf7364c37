import ipaddr from "ipaddr.js";

/**
 * The network that one customer of an internet provider has, for counting: an IPv4 address itself, of an IPv6 address its
 * /64, whose 2^64 addresses are all the same customer's. A text that is no address comes back as it is.
 */
export function clientNetwork(address: string): string {
  const [withoutZone = ""] = address.split("%");
  if (!ipaddr.isValid(withoutZone)) return address;
  const parsed = ipaddr.process(withoutZone);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone}/64`).toString()}/64`;
}

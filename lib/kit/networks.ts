import ipaddr from "ipaddr.js";

/** A network in CIDR form, parsed. */
export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Parses `10.1.0.0/16, fd00::/8`. Throws on what is no network. */
export function parseNetworks(setting: string): Network[] {
  return setting.split(",").map((network) => ipaddr.parseCIDR(network.trim()));
}

/** Like parseNetworks, but also takes single addresses, each as a network of one address. */
export function parseAddressesAndNetworks(setting: string): Network[] {
  return setting.split(",").flatMap((part) => {
    const text = part.trim();
    if (!isAddress(text)) return parseNetworks(text);
    return parseNetworks(`${text}/${ipaddr.parse(text).kind() === "ipv4" ? 32 : 128}`);
  });
}

/** Whether a text is an IPv4 address in its usual four parts or an IPv6 address. */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

/** The address in one spelling: an IPv4 address inside an IPv6 one as IPv4, IPv6 in its shortest form and without a zone. */
export function normalizeAddress(address: string): string {
  const withoutZone = address.split("%")[0] ?? "";
  return isAddress(withoutZone) ? ipaddr.process(withoutZone).toString() : address;
}

/** Whether an address lies in one of the networks. */
export function isInNetworks(address: string, networks: readonly Network[]): boolean {
  if (networks.length === 0 || !isAddress(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
}

/** An IPv4 address as it is, an IPv6 address as the network of its first bits: what one person or machine usually holds. */
export function networkOf(address: string, { ipv6Bits }: { ipv6Bits: number }): string {
  if (!address.includes(":") || !isAddress(address)) return address;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/${ipv6Bits}`).toString();
}

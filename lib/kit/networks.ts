import ipaddr from "ipaddr.js";

export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Parses networks like `10.1.0.0/16, fd00::/8`. Throws on anything else. */
export function parseNetworks(setting: string): Network[] {
  return setting.split(",").map((network) => ipaddr.parseCIDR(network.trim()));
}

/** Like parseNetworks, but also accepts single addresses. */
export function parseAddressesAndNetworks(setting: string): Network[] {
  return setting.split(",").flatMap((part) => {
    const text = part.trim();
    if (!isAddress(text)) return parseNetworks(text);
    return parseNetworks(`${text}/${ipaddr.parse(text).kind() === "ipv4" ? 32 : 128}`);
  });
}

/** Parses host names and addresses like `localhost,10.0.0.5,[::1]`, as a Host header spells them. Throws on anything else. */
export function parseHostNames(setting: string): string[] {
  return setting.split(",").map((part) => {
    const name = part.trim().toLowerCase();
    if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(name) || new URL(`http://${name}`).host !== name)
      throw new Error("not a host name");
    return name;
  });
}

export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

/** The canonical form of an address: v4-mapped as IPv4, IPv6 in its shortest form and without a zone. */
export function normalizeAddress(address: string): string {
  const withoutZone = address.split("%")[0] ?? "";
  return isAddress(withoutZone) ? ipaddr.process(withoutZone).toString() : address;
}

export function isInNetworks(address: string, networks: readonly Network[]): boolean {
  if (networks.length === 0 || !isAddress(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
}

/**
 * The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address, which providers assign to one
 * customer. Other text is returned unchanged.
 */
export function clientNetwork(address: string): string {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address;
  const [withoutZone = ""] = address.split("%");
  if (!ipaddr.isValid(withoutZone)) return address;
  const parsed = ipaddr.process(withoutZone);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone}/64`).toString()}/64`;
}

import { describe, expect, test } from "vitest";
import { parseNetworks } from "../../kit/networks.ts";
import { isAddressAllowed } from "./address-policy.ts";

const production = { allowsLoopback: false, networks: [] };
const sandbox = { allowsLoopback: true, networks: [] };

describe("outside a sandbox", () => {
  test.each(["8.8.8.8", "1.1.1.1", "203.0.112.255", "2001:4860:4860::8888", "2606:4700::1111"])(
    "%s is public",
    (address) => {
      expect(isAddressAllowed(address, production)).toBe(true);
    },
  );

  test.each([
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["::1", "loopback"],
    ["0.0.0.0", "unspecified"],
    ["::", "unspecified"],
    ["10.0.0.1", "private"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.168.1.1", "private"],
    ["169.254.169.254", "link-local, where clouds keep their metadata"],
    ["fe80::1", "link-local"],
    ["100.64.0.1", "CGNAT"],
    ["100.127.255.255", "CGNAT"],
    ["fc00::1", "ULA"],
    ["fd12:3456::1", "ULA"],
    ["fec0::1", "site-local, long deprecated"],
    ["::ffff:10.0.0.1", "v4-mapped"],
    ["::ffff:8.8.8.8", "v4-mapped, whatever it maps"],
    ["::7f00:1", "v4-compatible"],
    ["64:ff9b::a00:1", "NAT64"],
    ["64:ff9b:1::a00:1", "NAT64 of a local network"],
    ["2002:a00:1::", "6to4"],
    ["2001:0:a00:1::", "Teredo"],
    ["224.0.0.1", "multicast"],
    ["ff02::1", "multicast"],
    ["255.255.255.255", "broadcast"],
    ["240.0.0.1", "reserved"],
    ["192.0.2.1", "documentation"],
    ["198.18.0.1", "benchmarks"],
    ["2001:db8::1", "documentation"],
    ["4000::1", "not handed out"],
    ["localhost", "no address"],
    ["", "no address"],
  ])("%s is refused: %s", (address) => {
    expect(isAddressAllowed(address, production)).toBe(false);
  });
});

describe("in a sandbox", () => {
  test.each(["127.0.0.1", "::1"])("%s is allowed too", (address) => {
    expect(isAddressAllowed(address, sandbox)).toBe(true);
  });

  test.each(["10.0.0.1", "::ffff:127.0.0.1", "0.0.0.0", "169.254.169.254"])("%s is still refused", (address) => {
    expect(isAddressAllowed(address, sandbox)).toBe(false);
  });
});

test("networks that the operator names are allowed, and nothing beside them", () => {
  const policy = { allowsLoopback: false, networks: parseNetworks("10.1.0.0/16, fd00::/8") };
  expect(isAddressAllowed("10.1.255.255", policy)).toBe(true);
  expect(isAddressAllowed("10.2.0.0", policy)).toBe(false);
  expect(isAddressAllowed("fd00::1", policy)).toBe(true);
  expect(isAddressAllowed("127.0.0.1", policy)).toBe(false);
  expect(() => parseNetworks("10.1.0.0")).toThrow();
});

import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { parseAddressesAndNetworks } from "../lib/kit/networks.ts";
import { readForwarding } from "./gateway.ts";

const proxies = parseAddressesAndNetworks("127.0.0.1, 10.1.0.0/16, fd00::/8");
const host = "harbor.example";

describe("forwarding headers (Decision D1)", () => {
  test.each([
    ["one proxy", "127.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["a client that forged an entry before the proxy's", "127.0.0.1", "192.0.2.1, 203.0.113.7", "203.0.113.7"],
    [
      "a client that forged a trusted proxy before its own",
      "127.0.0.1",
      "192.0.2.1, 10.1.0.9, 203.0.113.7",
      "203.0.113.7",
    ],
    ["two trusted proxies", "127.0.0.1", "192.0.2.1, 203.0.113.7, 10.1.2.3", "203.0.113.7"],
    ["a proxy on IPv6 in front of IPv6", "fd00::1", "2001:DB8:0:0::7", "2001:db8::7"],
    ["IPv4 wrapped in IPv6", "::ffff:127.0.0.1", "::ffff:203.0.113.7", "203.0.113.7"],
    ["a proxy that writes ports", "127.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
    ["a proxy that writes ports, IPv6", "127.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"],
    ["no header", "127.0.0.1", undefined, "127.0.0.1"],
    ["no address", "127.0.0.1", "203.0.113.7, unknown", "127.0.0.1"],
    ["a number that some programs read as an address", "127.0.0.1", "3405803783", "127.0.0.1"],
    ["an empty entry", "127.0.0.1", "203.0.113.7, ,", "203.0.113.7"],
    ["proxies only", "127.0.0.1", "10.1.0.1, 10.1.0.2", "10.1.0.1"],
    ["an untrusted peer that claims to be a proxy", "198.51.100.9", "203.0.113.7", "198.51.100.9"],
    ["an address next to the trusted network", "10.2.0.1", "203.0.113.7", "10.2.0.1"],
  ])("the client's address: %s", (_name, peer, chain, expected) => {
    const headers = { host, ...(chain !== undefined && { "x-forwarded-for": chain }) };
    expect(readForwarding(requestFrom(peer, headers), proxies).clientAddress).toBe(expected);
  });

  test("scheme and host: the last ones of a trusted proxy, none of any other peer", () => {
    const headers = {
      host: "backend:3000",
      "x-forwarded-host": `evil.example, ${host}`,
      "x-forwarded-proto": "http, HTTPS",
    };
    expect(readForwarding(requestFrom("10.1.0.1", headers), proxies)).toMatchObject({ host, protocol: "https:" });
    expect(readForwarding(requestFrom("198.51.100.9", headers), proxies)).toEqual({
      clientAddress: "198.51.100.9",
      host: "backend:3000",
      protocol: undefined,
    });
    expect(readForwarding(requestFrom("10.1.0.1", { host }), proxies)).toMatchObject({ host, protocol: undefined });
  });

  test("without trusted proxies the headers are ignored", () => {
    const headers = { host, "x-forwarded-for": "203.0.113.7", "x-forwarded-host": "evil.example" };
    expect(readForwarding(requestFrom("127.0.0.1", headers), [])).toMatchObject({ clientAddress: "127.0.0.1", host });
  });
});

function requestFrom(remoteAddress: string, headers: Record<string, string>): IncomingMessage {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseNetworks } from "../../kit/networks.ts";
import { type FakeServer, startFakeServer } from "../../kit/testing/fake-server.ts";
import { createGuardedAgent, isAddressAllowed } from "./dispatcher.ts";
import type { ResolveHost } from "./resolve-host.ts";

const production = { allowsLoopback: false, networks: [] };
const sandbox = { allowsLoopback: true, networks: [] };

let fake: FakeServer;
let port: string;
beforeAll(async () => {
  fake = await startFakeServer();
  port = new URL(fake.url).port;
});
afterAll(() => fake.stop());

describe("no local address is dialed outside a sandbox", () => {
  test.each([
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "127.1",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "localhost",
  ])("http://%s", async (host) => {
    const dispatcher = createGuardedAgent(production);
    const call = request(`http://${host}:${port}/`, { dispatcher });
    await expect(call).rejects.toMatchObject({ code: "ADDRESS_REFUSED" });
    expect(fake.requests).toHaveLength(0);
    await dispatcher.close();
  });
});

test("a name is refused if any of its addresses is private, in any order", async () => {
  const dispatcher = createGuardedAgent(sandbox, answering(["127.0.0.1", "10.0.0.1"]));
  const call = request(`http://rebound.example:${port}/`, { dispatcher });
  await expect(call).rejects.toMatchObject({ code: "ADDRESS_REFUSED" });
  await dispatcher.close();
});

describe("the refusal names the network and the setting that allows it", () => {
  test.each([
    ["10.20.30.40", "10.0.0.0/8"],
    ["192.168.65.254", "192.168.0.0/16"],
    ["fd12:3456::1", "fc00::/7"],
    ["169.254.169.254", "169.254.169.254/32"],
    ["::ffff:10.0.0.1", "::ffff:a00:1/128"],
  ])("%s", async (address, network) => {
    const dispatcher = createGuardedAgent(sandbox, answering([address]));
    const call = request(`http://partner.example:${port}/`, { dispatcher });
    await expect(call).rejects.toThrow(`add ${network} to SERVICE_OUTBOUND_NETWORKS to allow it.`);
    await dispatcher.close();
    expect(isAddressAllowed(address, { ...production, networks: parseNetworks(network) })).toBe(true);
  });
});

// A name that resolves differently the second time gains nothing.
test("the name is resolved once, and the connection goes to the checked address", async () => {
  const lookups: string[] = [];
  const resolve: ResolveHost = (hostname) => {
    lookups.push(hostname);
    return answering(["127.0.0.1"])(hostname);
  };
  const dispatcher = createGuardedAgent(sandbox, resolve);
  const { statusCode } = await request(`http://partner.example:${port}/`, { dispatcher });
  expect(statusCode).toBe(204);
  expect(lookups).toEqual(["partner.example"]);
  expect(fake.requests.at(-1)?.headers.host).toBe(`partner.example:${port}`);
  await dispatcher.close();
});

test("HTTPS offers HTTP/1.1 only", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: tlsPort } = server.address() as AddressInfo;
  const dispatcher = createGuardedAgent(sandbox, answering(["127.0.0.1"]));
  const call = request(`https://partner.example:${tlsPort}/`, { dispatcher });
  const failed = expect(call).rejects.toThrow();
  const [socket]: Socket[] = await once(server, "connection");
  const [hello]: Buffer[] = await once(socket as Socket, "data");
  // The whole list of protocols: nine bytes, one protocol.
  expect(hello?.toString("latin1")).toContain("\x00\x09\x08http/1.1");
  socket?.destroy();
  await failed;
  await dispatcher.close();
  server.close();
});

function answering(addresses: string[]): ResolveHost {
  return async () => addresses.map((address) => ({ address, family: 4 }));
}

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
    ["::ffff:8.8.8.8", "v4-mapped, even to a public address"],
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

test("the operator's networks are allowed, and nothing else", () => {
  const policy = { allowsLoopback: false, networks: parseNetworks("10.1.0.0/16, fd00::/8") };
  expect(isAddressAllowed("10.1.255.255", policy)).toBe(true);
  expect(isAddressAllowed("10.2.0.0", policy)).toBe(false);
  expect(isAddressAllowed("fd00::1", policy)).toBe(true);
  expect(isAddressAllowed("127.0.0.1", policy)).toBe(false);
  expect(() => parseNetworks("10.1.0.0")).toThrow();
});

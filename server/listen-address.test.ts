import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, test } from "vitest";
import { type HttpServer, openHttpServer } from "./http-server.ts";
import {
  addressOf,
  findListenAddress,
  type ListenSetting,
  ownAddressOf,
  parseListenSetting,
  parseServiceListenSetting,
} from "./listen-address.ts";
import { serviceListeners } from "./service-app.ts";

let opened: HttpServer | undefined;
afterEach(() => {
  opened?.server.closeAllConnections();
  opened?.server.close();
});

describe("the listen address (Decision D1)", () => {
  test.each([
    "http://127.0.0.1:4000",
    "http://192.0.2.10:4000",
    "https://plainbook.example",
    "http://127.0.0.1.evil.example:4000",
  ])("%s: loopback only", async (origin) => {
    const address = await listen(origin);
    expect(address.address).toBe("127.0.0.1");
    const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    for (const { internal, address: other } of interfaces) {
      if (!internal && !other.startsWith("fe80:")) expect(await isAnswered(other, address.port), other).toBe(false);
    }
    expect(await isAnswered("127.0.0.1", address.port)).toBe(true);
  });

  test("localhost and [::1] resolve to the loopback address that a browser uses", async () => {
    expect(["127.0.0.1", "::1"]).toContain((await findListenAddress("http://localhost:3000")).host);
    expect((await findListenAddress("http://[::1]:3000")).host).toBe("::1");
  });

  test("another interface and port when configured", async () => {
    const address = await findListenAddress("https://plainbook.example", { host: "0.0.0.0", port: 4000 });
    expect(address).toEqual({ host: "0.0.0.0", port: 4000 });
    expect((await listen("http://127.0.0.1:4000", { host: "0.0.0.0", port: 4000 })).address).toBe("0.0.0.0");
  });

  test("the base address's own port, given or not", async () => {
    const portOf = async (origin: string) => (await findListenAddress(origin)).port;
    expect(await portOf("http://127.0.0.1:4000")).toBe(4000);
    expect(await portOf("http://plainbook.example")).toBe(80);
    expect(await portOf("https://plainbook.example")).toBe(443);
  });

  test.each([
    ["4000", undefined, 4000],
    ["0.0.0.0:4000", "0.0.0.0", 4000],
    [" scraper.internal:9100 ", "scraper.internal", 9100],
    ["[::]:443", "::", 443],
  ])("the setting %j is accepted", (setting, host, port) => {
    expect(parseListenSetting(setting)).toEqual({ host, port });
  });

  test.each(["", "0", "65536", "0.0.0.0", "0.0.0.0:", ":4000", "::1:4000", "http://0.0.0.0:4000", "4000/"])(
    "the setting %j is refused",
    (setting) => {
      expect(() => parseListenSetting(setting)).toThrow();
    },
  );

  test("this process calls itself at its bound address, never at a base address", () => {
    expect(ownAddressOf({ host: "0.0.0.0", port: 4000 })).toEqual({ host: "127.0.0.1", port: 4000 });
    expect(ownAddressOf({ host: "::", port: 4000 })).toEqual({ host: "::1", port: 4000 });
    expect(ownAddressOf({ host: "127.0.0.1", port: 4000 })).toEqual({ host: "127.0.0.1", port: 4000 });
  });
});

describe("the service's listeners (Decision D1)", () => {
  const api = () => {};
  const [baseUrl, authUrl] = ["http://127.0.0.1:4000", "http://127.0.0.1:4001"];
  const ports = parseServiceListenSetting("1,10.0.0.1:2");
  const [first, second] = ports;

  test("one for API and pages at one address", () => {
    const listeners = serviceListeners({ baseUrl, authUrl: baseUrl, hasPages: true, api }, ports);
    expect(listeners).toEqual([{ origin: baseUrl, listen: first, hasPages: true, api }]);
  });

  test("two at two addresses, the API's without pages", () => {
    expect(serviceListeners({ baseUrl, authUrl, hasPages: true, api }, ports)).toEqual([
      { origin: baseUrl, listen: first, hasPages: false, api },
      { origin: authUrl, listen: second, hasPages: true, apiUrl: baseUrl },
    ]);
  });

  test("with one setting for two addresses, the pages are at their address's own port", () => {
    const [, pages] = serviceListeners({ baseUrl, authUrl, hasPages: true, api }, parseServiceListenSetting("1"));
    expect(pages).toEqual({ origin: authUrl, hasPages: true, apiUrl: baseUrl });
  });

  test.each(["1,", ",1", "1,2,3"])("the setting %j is refused", (setting) => {
    expect(() => parseServiceListenSetting(setting)).toThrow();
  });

  test("only the one that the process's roles need", () => {
    const pages = serviceListeners({ baseUrl, authUrl, hasPages: true }, ports);
    expect(pages).toEqual([{ origin: authUrl, listen: second, hasPages: true, apiUrl: baseUrl }]);
    const apiOnly = serviceListeners({ baseUrl, authUrl: baseUrl, hasPages: false, api }, ports);
    expect(apiOnly).toEqual([{ origin: baseUrl, listen: first, hasPages: false, api }]);
    const [only] = serviceListeners({ baseUrl, authUrl, hasPages: true }, parseServiceListenSetting("3"));
    expect(only?.listen).toEqual({ port: 3 });
  });
});

async function listen(origin: string, settings?: ListenSetting): Promise<AddressInfo> {
  const { host } = await findListenAddress(origin, settings);
  opened = await openHttpServer((_asked, response) => response.end(), { host, port: 0, connectionsMax: 10 });
  return opened.server.address() as AddressInfo;
}

function isAnswered(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => resolve(true));
    socket.once("error", () => resolve(false)).once("close", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

test("a listener's own address is a URL, also over IPv6 and when it binds everywhere", () => {
  const addressAt = (host: string) => addressOf(ownAddressOf({ host, port: 4000 }));
  expect(["127.0.0.1", "0.0.0.0", "::1", "::"].map(addressAt)).toEqual([
    "http://127.0.0.1:4000",
    "http://127.0.0.1:4000",
    "http://[::1]:4000",
    "http://[::1]:4000",
  ]);
});

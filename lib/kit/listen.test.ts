import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listenTo } from "./listen.ts";

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

// The guarantee: one failed attempt is told of once. Told of twice, each outage would double the attempts until they take
// every connection of the database.
test("an attempt that fails throws, and does not call itself a lost connection too", async () => {
  server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const databaseUrl = `postgres://nobody@127.0.0.1:${port}/nothing`;
  const told: string[] = [];
  const tell = (what: string) => () => void told.push(what);
  const attempt = listenTo(
    { databaseUrl, channel: "test" },
    {
      onConnect: tell("connect"),
      onNotify: tell("notify"),
      onLost: tell("lost"),
    },
  );

  await expect(attempt).rejects.toThrow();
  expect(told).toEqual([]);
});

import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listenTo } from "./wake-loop.ts";

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

// Reported twice, each outage would double the attempts until they exhaust the database's connections.
test("a failed attempt to listen throws and does not report a lost connection", async () => {
  server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const databaseUrl = `postgres://nobody@127.0.0.1:${port}/nothing`;
  const calls: string[] = [];
  const record = (call: string) => () => void calls.push(call);
  const attempt = listenTo(
    { databaseUrl, channel: "test" },
    { onConnect: record("connect"), onNotify: record("notify"), onLost: record("lost") },
  );

  await expect(attempt).rejects.toThrow();
  expect(calls).toEqual([]);
});

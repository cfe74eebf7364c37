import type { lookup } from "node:dns";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeServer, startFakeServer } from "../../kit/testing/fake-server.ts";
import { createGuardedAgent } from "./dispatcher.ts";

const production = { allowsLoopback: false, networks: [] };
const sandbox = { allowsLoopback: true, networks: [] };

let fake: FakeServer;
let port: string;
beforeAll(async () => {
  fake = await startFakeServer();
  port = new URL(fake.url).port;
});
afterAll(() => fake.stop());

describe("outside a sandbox nothing local is dialled", () => {
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

test("a name that also answers a private address is refused, whatever comes first", async () => {
  const dispatcher = createGuardedAgent(sandbox, answering(["127.0.0.1", "10.0.0.1"]));
  const call = request(`http://rebound.example:${port}/`, { dispatcher });
  await expect(call).rejects.toMatchObject({ code: "ADDRESS_REFUSED" });
  await dispatcher.close();
});

// The guarantee: a name that answers differently the second time gains nothing.
test("the name is asked once, and the connection goes to the address that was checked", async () => {
  const asked: string[] = [];
  const first = answering(["127.0.0.1"]);
  const resolve = ((hostname: string, options: object, callback: never) => {
    asked.push(hostname);
    (first as (...all: unknown[]) => void)(hostname, options, callback);
  }) as typeof lookup;
  const dispatcher = createGuardedAgent(sandbox, resolve);
  const { statusCode } = await request(`http://partner.example:${port}/`, { dispatcher });
  expect(statusCode).toBe(204);
  expect(asked).toEqual(["partner.example"]);
  expect(fake.requests.at(-1)?.headers.host).toBe(`partner.example:${port}`);
  await dispatcher.close();
});

function answering(addresses: string[]): typeof lookup {
  type Callback = (error: null, answers: { address: string; family: number }[]) => void;
  const resolve = (_hostname: string, _options: object, callback: Callback) => {
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  };
  return resolve as unknown as typeof lookup;
}

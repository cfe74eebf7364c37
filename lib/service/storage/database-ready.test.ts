import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { countMigrations, isDatabaseReady } from "../../kit/migrations.ts";
import { openPool } from "../../kit/postgres.ts";
import { quickestMs } from "../../kit/testing/quickest.ts";
import { servicePool } from "./database.ts";

const migrations = countMigrations("lib/service/storage/migrations");
let silent: Server | undefined;
afterEach(() => silent?.close());

test("ready: has every migration that this process knows, and maybe newer ones", async () => {
  expect(await isDatabaseReady(servicePool(), migrations)).toBe(true);
  expect(await isDatabaseReady(servicePool(), migrations - 1)).toBe(true);
});

test("not ready: a migration is missing", async () => {
  expect(await isDatabaseReady(servicePool(), migrations + 1)).toBe(false);
});

test("not ready: the database is down, or doesn't respond in time", async () => {
  const listening = createServer();
  silent = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo;
  const pool = openPool(`postgres://nobody@127.0.0.1:${port}/nothing`);
  const check = async () => expect(await isDatabaseReady(pool, migrations, { timeoutMs: 100 })).toBe(false);
  expect(await quickestMs(4500, check)).toBeLessThan(4500);

  expect(await isDatabaseReady(openPool("postgres://nobody@127.0.0.1:1/nothing"), migrations)).toBe(false);
});

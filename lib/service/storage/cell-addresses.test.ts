import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { beforeEach, expect, test } from "vitest";
import { addressSource, forgetHosts } from "./cell-addresses.ts";

process.env["SERVICE_CELLS"] = "3";

const url = "postgres://plainbook@db-1:5432/gangway_service";
let reads = 0;
let hosts = "db-2:5432";
let hangs = false;
const home = () => ({
  query: () => {
    reads++;
    const rows = [2, 3].map((cell) => ({ cell, hosts }));
    return hangs ? delay(3000).then(() => Promise.reject(new Error("timeout expired"))) : Promise.resolve({ rows });
  },
});
const [second, third] = [2, 3].map((cell) => addressSource(cell, url, home as unknown as () => pg.Pool));

async function find(source = second) {
  const found = Promise.resolve(source?.find());
  const isAtOnce = await Promise.race([found.then(() => true), delay(500, false)]);
  return { host: new URL((await found) ?? "").host, isAtOnce };
}

beforeEach(async () => {
  [hangs, hosts] = [false, "db-2:5432"];
  forgetHosts();
  await find();
  reads = 0;
});

test("a failed connection of one cell makes only that cell look up its server again", async () => {
  second?.forget();
  hosts = "db-3:5432";
  hangs = true;
  expect(await find(third)).toEqual({ host: "db-2:5432", isAtOnce: true });
  expect(reads).toBe(0);
  hangs = false;
  expect(await find()).toEqual({ host: "db-3:5432", isAtOnce: true });
});

test("while the first cell's server hangs, concurrent connections wait for it together, and later ones don't", async () => {
  second?.forget();
  hangs = true;
  const both = await Promise.all([find(), find()]);
  expect(both).toEqual(Array(2).fill({ host: "db-2:5432", isAtOnce: false }));
  second?.forget();
  expect(await find()).toEqual({ host: "db-2:5432", isAtOnce: true });
  expect(reads).toBe(1);
});

test("a cell known to have moved is looked up even after a failed lookup", async () => {
  second?.forget();
  hangs = true;
  await find();
  hangs = false;
  hosts = "db-3:5432";
  forgetHosts();
  expect(await find()).toMatchObject({ host: "db-3:5432" });
});

import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { databaseSetting, serversOf } from "./database-address.ts";
import { isDatabaseUnavailable } from "./database-errors.ts";
import { openPool, writableAddress } from "./postgres.ts";
import { type FakePostgres, type Greeting, startFakePostgres } from "./testing/fake-postgres.ts";
import { quickestMs } from "./testing/quickest.ts";

let hostA: FakePostgres;
let hostB: FakePostgres;
let pool: ReturnType<typeof openPool>;

beforeEach(async () => {
  [hostA, hostB] = await Promise.all([startFakePostgres("primary"), startFakePostgres("primary")]);
  pool = openPool(both());
});
afterEach(async () => {
  await pool.end();
  await Promise.all([hostA.stop(), hostB.stop()]);
});

function both(): string {
  return `postgres://user@${hostA.host},${hostB.host}/books?target_session_attrs=read-write`;
}

/** Sets both greetings and returns the server that a new connection uses. */
async function connectsTo(greetingA: Greeting, greetingB: Greeting): Promise<FakePostgres | undefined> {
  hostA.greet(greetingA);
  hostB.greet(greetingB);
  const connection = await pool.connect();
  connection.release(true);
  return [hostA, hostB].find(({ host }) => host === `${connection.host}:${connection.port}`);
}

test.each<[Greeting, Greeting, 0 | 1]>([
  ["primary", "standby", 0],
  ["standby", "primary", 1],
  ["silence", "primary", 1],
  ["primary", "silence", 0],
])(
  "of two hosts (%s, %s), uses the writable one without waiting for the other",
  async (greetingA, greetingB, index) => {
    const connect = async () => expect(await connectsTo(greetingA, greetingB)).toBe([hostA, hostB][index]);
    expect(await quickestMs(1500, connect)).toBeLessThan(1500);
  },
);

test("a host may be an IPv6 address", async () => {
  hostA.greet("standby");
  hostB.greet("standby");
  const ipv6 = await startFakePostgres("primary", "::1");
  onTestFinished(ipv6.stop);
  const hosts = openPool(`postgres://user@${hostA.host},${ipv6.host}/books?target_session_attrs=read-write`);
  const connection = await hosts.connect();
  expect(`[${connection.host}]:${connection.port}`).toBe(ipv6.host);
  connection.release(true);
  await hosts.end();
});

test("a pool finds a promoted standby", async () => {
  expect(await connectsTo("primary", "standby")).toBe(hostA);
  await hostA.stop();
  expect(await connectsTo("primary", "primary")).toBe(hostB);
});

test("without a writable host, fails as unavailable with the reason of each host", async () => {
  const refused = await connectsTo("standby", "silence").catch((error: unknown) => error);
  expect(String(refused)).toContain(`${hostA.host}: the server at 127.0.0.1 accepts no writes`);
  expect(String(refused)).toContain(`${hostB.host}: `);
  expect(isDatabaseUnavailable(refused)).toBe(true);
});

test("refuses a single host that is a standby", async () => {
  hostA.greet("standby");
  const single = openPool(`postgres://user@${hostA.host}/books`);
  const refused = await single.connect().catch((error: unknown) => error);
  expect(String(refused)).toContain("accepts no writes");
  expect(isDatabaseUnavailable(refused)).toBe(true);
  expect(single.totalCount).toBe(0);
  await single.end();
});

test("a connection dropped while connecting fails only its caller", async () => {
  hostA.greet("goodbye");
  const single = openPool(`postgres://user@${hostA.host}/books`);
  const refused = await single.query("select 1").catch((error: unknown) => error);
  expect(String(refused)).toContain("this is the end");
  expect(isDatabaseUnavailable(refused)).toBe(true);
  expect(single.totalCount).toBe(0);
  await single.end();
});

// PgBouncer sends this when it loses its server in the middle of a row.
test("an unparsable response ends its connection and counts as unavailable", async () => {
  hostA.greet("gibberish");
  const single = openPool(`postgres://user@${hostA.host}/books`);
  const refused = await single.query("select 1").catch((error: unknown) => error);
  expect(String(refused)).toContain("cannot be parsed");
  expect(isDatabaseUnavailable(refused)).toBe(true);
  expect(single.totalCount).toBe(0);
  await single.end();
});

test("writableAddress returns the writable host's address; a single host is not probed", async () => {
  hostA.greet("standby");
  expect(await writableAddress(both())).toBe(`postgres://user@${hostB.host}/books`);
  expect(await writableAddress("postgres://user@127.0.0.1:1/books")).toBe("postgres://user@127.0.0.1:1/books");
});

test("an address of several hosts has a port for each and shares everything else", () => {
  const address =
    "postgres://harbor:p%40ss@one:5433,[::1],three:5432/books?target_session_attrs=read-write&sslmode=verify-full";
  expect(serversOf(address)).toEqual([
    "postgres://harbor:p%40ss@one:5433/books?sslmode=verify-full",
    "postgres://harbor:p%40ss@[::1]/books?sslmode=verify-full",
    "postgres://harbor:p%40ss@three:5432/books?sslmode=verify-full",
  ]);
});

test.each([
  "postgres://one,two/books",
  "postgres://one,two/books?target_session_attrs=any",
  "postgres://one/books?target_session_attrs=standby",
  "postgres://one,/books?target_session_attrs=read-write",
  "postgres://one:x,two/books?target_session_attrs=read-write",
  "books",
  "localhost:5432/books",
  "mysql://one/books",
])("refuses %s as a database address", (address) => {
  const { error } = databaseSetting.safeParse(address);
  expect(error?.issues[0]?.message).toContain("must be a postgres:// address");
});

test("accepts one host, with and without target_session_attrs", () => {
  for (const query of ["", "?target_session_attrs=read-write"]) {
    expect(databaseSetting.safeParse(`postgres://one:5432/books${query}`).success).toBe(true);
  }
});

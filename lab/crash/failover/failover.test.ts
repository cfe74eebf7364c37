import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { openLink } from "../../../lib/kit/testing/cuttable-link.ts";
import type { Booking } from "../history.ts";
import { readDrillOptions } from "./drill-options.ts";
import { longestOutageMs, median } from "./outage.ts";
import { findPrograms } from "./programs.ts";
import {
  haproxySettings,
  leaseSeconds,
  limitsOfRole,
  type NodePorts,
  patroniSettings,
  pgbouncerSettings,
} from "./settings.ts";

// Tests without the drill's external programs; the drill itself is a command (docs/drills.md).

const ports: NodePorts = {
  postgres: 1001,
  rest: 1002,
  clients: 1003,
  checks: 1004,
  peerPostgres: 1005,
  peerRest: 1006,
  etcd: 1007,
};

test("a missing program stops the drill and names the Debian packages", () => {
  const here =
    (...names: string[]) =>
    (name: string) =>
      names.includes(name) ? `/usr/bin/${name}` : undefined;
  const packages = "etcd-server patroni haproxy postgresql-15 python3-etcd";
  expect(() => findPrograms(false, here())).toThrow(new RegExp(`apt-get install ${packages}$`));
  expect(() => findPrograms(true, here("etcd", "patroni", "patronictl"))).toThrow(
    "apt-get install haproxy postgresql-15 python3-etcd pgbouncer",
  );
});

test("finds the installed programs", () => {
  const found = findPrograms(false, (name) => `/found/${name}`);
  expect(found).toMatchObject({ etcd: "/found/etcd", patroni: "/found/patroni", haproxy: "/found/haproxy" });
});

test.each([["--rounds", "many"], ["--seed=-1"], ["--unknown"]])("%s %s is refused", (...parameters) => {
  expect(() => readDrillOptions(parameters)).toThrow(parameters[0].split("=")[0]);
});

test("defaults to twenty rounds and a random seed", () => {
  expect(readDrillOptions([])).toEqual({ rounds: 20, seed: expect.any(Number), hasPooler: false });
  expect(readDrillOptions(["--rounds", "3", "--seed", "7", "--pooler"])).toEqual({
    rounds: 3,
    seed: 7,
    hasPooler: true,
  });
});

test("each node reaches the others and etcd only by cuttable routes", () => {
  const passwords = { superuser: "s", replication: "r", rewind: "w" };
  const text = patroniSettings({
    name: "node-1",
    folder: "/drill/node-1",
    ports,
    postgresFolder: "/usr/bin",
    passwords,
  });
  const settings = JSON.parse(text);
  expect(settings.restapi).toEqual({ listen: "127.0.0.1:1002", connect_address: "127.0.0.1:1006" });
  expect(settings.postgresql).toMatchObject({ listen: "127.0.0.1:1001", connect_address: "127.0.0.1:1005" });
  expect(settings.etcd).toMatchObject({ hosts: ["127.0.0.1:1007"], use_proxies: true });
});

test("answered commits are on two nodes, with a lease that Patroni accepts", () => {
  const passwords = { superuser: "s", replication: "r", rewind: "w" };
  const text = patroniSettings({
    name: "node-1",
    folder: "/drill/node-1",
    ports,
    postgresFolder: "/usr/bin",
    passwords,
  });
  const { dcs } = JSON.parse(text).bootstrap;
  expect(dcs).toMatchObject({ ...leaseSeconds, synchronous_mode: true });
  expect(dcs.postgresql.parameters).not.toHaveProperty("synchronous_commit");
  expect(leaseSeconds.loop_wait + 2 * leaseSeconds.retry_timeout).toBeLessThanOrEqual(leaseSeconds.ttl);
});

test("HAProxy routes to the primary and closes connections to a demoted node", () => {
  const text = haproxySettings(1000, [{ name: "node-1", ports }]);
  expect(text).toContain("bind 127.0.0.1:1000");
  expect(text).toContain("option httpchk OPTIONS /primary");
  expect(text).toContain("on-marked-down shutdown-sessions");
  expect(text).toContain("server node-1 127.0.0.1:1003 maxconn 300 check port 1004");
});

test("the drill runs the PgBouncer settings of docs/operations.md, except for ports and the users file", () => {
  const page = readFileSync("docs/operations.md", "utf8");
  const block = /```ini\n(.*?)```/s.exec(page)?.[1] ?? "";
  const shown = block.split("\n").map((line) => line.replace(/\s*;.*/, ""));
  expect(shown.join("\n")).toBe(pgbouncerSettings(6432, 5000, "/etc/pgbouncer/userlist.txt"));
  for (const [name, ms] of Object.entries(limitsOfRole)) expect(page).toContain(`set ${name} = ${ms};`);
});

function bookingAt(api: string, endedAt: number, { isReplay = false, status = 201 } = {}): Booking {
  const outcome = { kind: "answer" as const, status, text: "{}", isReplay, retryAfter: false };
  return {
    ...{ kind: "booking", name: "", key: undefined, amountCents: 1, sourceId: "", destinationId: "" },
    attempts: [{ api, sentAt: endedAt - 1, endedAt, outcome }],
  };
}

test("an outage is the longest gap between acknowledged bookings of any API", () => {
  const operations = [
    ...[100, 200, 900, 1000, 5000].map((time) => bookingAt("one", time)),
    ...[100, 250, 400, 1000].map((time) => bookingAt("two", time)),
    bookingAt("one", 500, { status: 503 }),
    bookingAt("one", 600, { isReplay: true }),
  ];
  expect(longestOutageMs(operations, { from: 300, to: 950 })).toBe(700);
  expect(longestOutageMs(operations, { from: 950, to: 1000 })).toBe(4000);
  expect(longestOutageMs([], { from: 0, to: 1 })).toBe(0);
});

test("the median is the middle one", () => {
  expect([median([3, 1, 2]), median([4, 1]), median([])]).toEqual([2, 1, 0]);
});

test("a cut link holds data without an error, and delivers it once restored", async () => {
  const echo = createServer((socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  const link = await openLink((echo.address() as AddressInfo).port);
  const received: string[] = [];
  const open = (name: string) =>
    connect(link.port, "127.0.0.1")
      .on("data", (data) => received.push(`${name} ${data}`))
      .on("close", () => received.push(`${name} closed`));
  const early = open("early");
  early.write("1");
  await expect.poll(() => received).toEqual(["early 1"]);
  link.cut();
  early.write("2");
  const late = open("late");
  late.write("3");
  // Long enough for another connection to be made and answered.
  await new Promise((resolve) =>
    connect((echo.address() as AddressInfo).port, "127.0.0.1")
      .on("data", resolve)
      .write("x"),
  );
  expect(received).toEqual(["early 1"]);
  link.mend();
  await expect.poll(() => [...received].sort()).toEqual(["early 1", "early 2", "late 3"]);
  early.destroy();
  late.destroy();
  await link.stop();
  echo.close();
});

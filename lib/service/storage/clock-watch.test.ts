import { afterEach, expect, test } from "vitest";
import { type ClockWatch, watchClock } from "../../kit/clock-watch.ts";
import { openPool } from "../../kit/postgres.ts";
import { processMetrics } from "../../kit/process-metrics.ts";
import { logToFile } from "../../kit/testing/log-file.ts";
import { serviceConfig } from "../config.ts";
import { servicePool } from "./database.ts";

const readLog = logToFile();
let watch: ClockWatch | undefined;
afterEach(() => watch?.stop());

test("a clock more than a minute off is wrong until corrected, in the log and the metrics", async () => {
  let shiftSeconds = 0;
  const watched = await watchClock(servicePool(), "service", { now: () => Date.now() + shiftSeconds * 1000 });
  watch = watched;
  const isRightAt = { 0: true, 55: true, 65: false, 70: false, [-55]: true, [-65]: false };
  for (const seconds of [0, 55, 65, 70, 55, -55, -65, 0] as const) {
    shiftSeconds = seconds;
    await watched.check();
    expect(watched.isRight(), `${seconds} s`).toBe(isRightAt[seconds]);
    expect(Number(await differenceShown())).toBeCloseTo(seconds, 0);
  }
  const lines = readLog().map(({ level, app, msg }) => [level, app, msg]);
  const wrong = [50, "service", "this process's clock differs from its database's by more than a minute"];
  const right = [40, "service", "this process's clock agrees with its database's again"];
  expect(lines).toEqual([wrong, right, wrong, right]);
});

test("the query's own duration does not count as a difference", async () => {
  const pool = openPool(serviceConfig().databaseUrl, { connectionsMax: 1 });
  try {
    const watched = await watchClock(pool, "service", { now: () => Date.now() - 59_800 });
    watch = watched;
    const busy = pool.query("select pg_sleep(1)");
    await watched.check();
    await busy;
    expect(watched.isRight()).toBe(true);
  } finally {
    await pool.end();
  }
});

test("while the database is down the difference is unknown, and the clock's verdict stays", async () => {
  const pool = openPool(serviceConfig().databaseUrl);
  const watched = await watchClock(pool, "service", { now: () => Date.now() + 90_000 });
  watch = watched;
  await pool.end();
  await watched.check();
  expect(await differenceShown()).toBeUndefined();
  expect(watched.isRight()).toBe(false);
});

test("the clock is checked periodically, until the watch stops", async () => {
  let shiftSeconds = 0;
  const now = () => Date.now() + shiftSeconds * 1000;
  const watched = await watchClock(servicePool(), "service", { now, everyMs: 10 });
  watch = watched;
  shiftSeconds = 90;
  await expect.poll(() => watched.isRight()).toBe(false);
  watched.stop();
  expect(await differenceShown()).toBeUndefined();
  shiftSeconds = 0;
  // Longer than ten checks.
  await servicePool().query("select pg_sleep(0.1)");
  expect([watched.isRight(), await differenceShown()]).toEqual([false, undefined]);
});

test("a check in flight when the watch stops shows nothing", async () => {
  const watched = await watchClock(servicePool(), "service", { now: () => Date.now() + 90_000 });
  watch = watched;
  const inFlight = watched.check();
  watched.stop();
  await inFlight;
  expect(await differenceShown()).toBeUndefined();
});

async function differenceShown(): Promise<string | undefined> {
  return /^gangway_clock_difference_seconds\{app="service"\} (\S+)$/m.exec(await processMetrics())?.[1];
}

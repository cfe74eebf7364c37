import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { DeliveryEvent } from "#lib/contract/sandbox-events.ts";
import { endpointHealth } from "./endpoint-health.ts";
import { HealthChart } from "./health-chart.tsx";

const noon = Date.parse("2026-01-31T12:00:00.000Z");
const minute = 60_000;

function attempt(minutesAgo: number, status: number | null, more: { ms?: number; fault?: "tamper" } = {}) {
  const at = new Date(noon - minutesAgo * minute).toISOString();
  return { at, status, duration_ms: more.ms ?? null, facts: { fault: more.fault ?? null } } as DeliveryEvent;
}

const shown = (attempts: DeliveryEvent[]) =>
  endpointHealth(attempts, noon)
    ?.buckets.filter(({ accepted, failed }) => accepted + failed > 0)
    .map(({ at, accepted, failed }) => [(noon - at) / minute, accepted, failed]);

test("counts attempts per minute: 2xx is accepted; any other status or no response is a failure", () => {
  const attempts = [attempt(3, 200), attempt(3, 299), attempt(2, 302), attempt(2, null), attempt(0, 204)];
  expect(shown(attempts)).toEqual([
    [3, 2, 0],
    [2, 0, 2],
    [0, 1, 0],
  ]);
  expect(endpointHealth(attempts, noon)).toMatchObject({ accepted: 3, failed: 2, bucketMs: minute });
});

test("a chart of a time without attempts has finite numbers", () => {
  const health = endpointHealth([attempt(100 * 24 * 60, 200)], noon);
  expect(health).toMatchObject({ accepted: 0, failed: 0 });
  expect(renderToStaticMarkup(createElement(HealthChart, { health }))).not.toMatch(/NaN|Infinity/);
});

test("ignores attempts with an injected fault", () => {
  expect(endpointHealth([attempt(1, 401, { fault: "tamper" })], noon)).toBeUndefined();
  expect(shown([attempt(1, 401, { fault: "tamper" }), attempt(1, 200)])).toEqual([[1, 1, 0]]);
});

test.each([
  [47, 1, 48],
  [48, 5, 24],
  [5 * 30, 5, 31],
  [60 * 47, 60, 48],
  [60 * 24 * 400, 60 * 24, 48],
])("%d minutes are shown in buckets of %d minutes, %d of them", (minutesAgo, length, count) => {
  const health = endpointHealth([attempt(minutesAgo, 200), attempt(0, 200)], noon);
  expect([health?.bucketMs, health?.buckets.length]).toEqual([length * minute, count]);
  expect(health?.accepted).toBe(minutesAgo > 60 * 24 * 48 ? 1 : 2);
});

test("an outage lasts from the first bucket in which every attempt failed until an attempt is accepted", () => {
  const attempts = [attempt(9, 200), attempt(8, 500), attempt(8, 200), attempt(7, 500), attempt(4, null)];
  const outages = endpointHealth([...attempts, attempt(2, 200), attempt(1, 500)], noon)?.outages;
  expect(outages?.map(({ from, until }) => [(noon - from) / minute, (noon - until) / minute])).toEqual([
    [7, 3],
    [1, 0],
  ]);
});

test("an outage in the current bucket lasts until now", () => {
  const [now, hour] = [noon + 20 * minute, 60 * minute];
  const attempts = [attempt(47 * 60, 200), attempt(-10, 500)];
  expect(endpointHealth(attempts, now)).toMatchObject({ bucketMs: hour, outages: [{ from: noon, until: now }] });
});

test("the median covers all responses, regardless of status", () => {
  const answers = [attempt(1, 200, { ms: 10 }), attempt(1, 500, { ms: 30 }), attempt(1, 200, { ms: 900 })];
  expect(endpointHealth([...answers, attempt(1, null, { ms: 10_000 })], noon)?.medianMs).toBe(30);
  expect(endpointHealth([attempt(1, null, { ms: 10_000 })], noon)?.medianMs).toBeUndefined();
});

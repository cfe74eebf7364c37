import { expect, test } from "vitest";
import { readRequestMeters, requestMeter } from "./request-meter.ts";

const own = { listener: "api", method: "GET", route: "/of/a/test" } as const;
const labels = 'listener="api",method="GET",route="/of/a/test"';

test("a duration counts in every bucket that includes it, and a status by code and by class", () => {
  for (const [status, ms] of [
    [200, 5],
    [201, 5.1],
    [503, 20_000],
    [0, 1],
  ] as const) {
    requestMeter(own).observe(status, ms);
  }
  const lines = readRequestMeters().split("\n");
  for (const line of [
    `gangway_request_duration_seconds_bucket{${labels},status="2xx",le="0.005"} 1`,
    `gangway_request_duration_seconds_bucket{${labels},status="2xx",le="0.01"} 2`,
    `gangway_request_duration_seconds_bucket{${labels},status="5xx",le="10"} 0`,
    `gangway_request_duration_seconds_bucket{${labels},status="5xx",le="+Inf"} 1`,
    `gangway_request_duration_seconds_sum{${labels},status="5xx"} 20`,
    `gangway_request_duration_seconds_count{${labels},status="none"} 1`,
    `gangway_requests_total{${labels},status="201"} 1`,
    `gangway_requests_total{${labels},status="500"} 0`,
    `gangway_requests_total{${labels},status="none"} 1`,
  ]) {
    expect(lines).toContain(line);
  }
});

test("a route's failures start at 0, so that its first one is an increase", () => {
  requestMeter({ ...own, route: "/without/failures" }).observe(200, 1);
  const lines = readRequestMeters().split("\n");
  const others = labels.replace("/of/a/test", "/without/failures");
  for (const line of [
    `gangway_requests_total{${others},status="500"} 0`,
    `gangway_requests_total{${others},status="503"} 0`,
    `gangway_request_duration_seconds_count{${others},status="5xx"} 0`,
    `gangway_request_duration_seconds_count{${others},status="none"} 0`,
  ]) {
    expect(lines).toContain(line);
  }
});

test("callers can't create series: unknown methods share one, and so do routes beyond the first 400", () => {
  requestMeter({ ...own, method: 'BREW"\n' }).observe(405, 1);
  for (let number = 0; number < 1000; number++) requestMeter({ ...own, route: `/${number}` }).observe(200, 1);
  const text = readRequestMeters();
  expect(text).toContain('gangway_requests_total{listener="api",method="other",route="/of/a/test",status="405"} 1');
  expect(text).toMatch(/_total\{listener="api",method="GET",route="other",status="200"\} [56]\d\d$/m);
  expect(text.match(/_requests_total\{.*status="500"/g)?.length).toBeLessThan(410);
});

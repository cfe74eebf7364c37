import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Refused } from "./answer.ts";
import { createPauses } from "./call-service.ts";

// A pause lasts as long as requested, measured by a fake clock.

const hourMs = 60 * 60 * 1000;
const refused: Refused = {
  ...{ kind: "refused", status: 503, reason: "unavailable", description: "", errors: [] },
  requestId: undefined,
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ["2", 2000],
  [String(7 * 24 * 60 * 60), hourMs],
  ["Wed, 21 Oct 2015 07:28:30 GMT", 30_000],
  ["Thu, 22 Oct 2015 07:28:00 GMT", hourMs],
])("retry-after of %s delays a call for %i ms, an hour at most", (retryAfter, ms) => {
  vi.setSystemTime("2015-10-21T07:28:00Z");
  const pauses = createPauses();
  pauses.note("a call", refused, retryAfter);
  vi.advanceTimersByTime(ms - 1);
  expect(pauses.find("a call")).toEqual(refused);
  vi.advanceTimersByTime(1);
  expect(pauses.find("a call")).toBeUndefined();
});

test("a later refusal of the same call starts a new pause", () => {
  const pauses = createPauses();
  pauses.note("a call", refused, "2");
  vi.advanceTimersByTime(2000);
  pauses.note("a call", refused, "2");
  vi.advanceTimersByTime(1999);
  expect(pauses.find("a call")).toEqual(refused);
});

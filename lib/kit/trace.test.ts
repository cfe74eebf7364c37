import { expect, test } from "vitest";
import { traceIdOf, traceparentOf } from "./trace.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

test("keeps a traceparent's trace id and sends it with a new parent id", () => {
  const received = `00-${traceId}-00f067aa0ba902b7-01`;
  expect(traceIdOf(received)).toBe(traceId);
  expect(traceparentOf(traceId)).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  expect(traceparentOf(traceId)).not.toBe(received);
});

test.each([
  undefined,
  "",
  "nonsense",
  `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `ff-${traceId}-00f067aa0ba902b7-01`,
  `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`,
])("%j starts a new trace", (traceparent) => {
  expect(traceIdOf(traceparent)).toMatch(/^[0-9a-f]{32}$/);
  expect(traceIdOf(traceparent)).not.toBe(traceIdOf(traceparent));
});

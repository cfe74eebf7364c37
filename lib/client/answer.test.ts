import { expect, test } from "vitest";
import { decisionOf, isConclusive, type Refused } from "./answer.ts";

const refusedWith = (status: number, reason = "unknown"): Refused => ({
  kind: "refused",
  status,
  reason,
  description: "",
  errors: [],
  requestId: undefined,
});

test.each([
  ["definite", [400, 402, 403, 404, 405, 410, 413, 422]],
  ["temporary", [401, 429]],
  ["unknown", [301, 307, 408, 409, 500, 502, 503, 504]],
] as const)("a refusal is %s by its status alone", (decision, statuses) => {
  expect(statuses.map((status) => decisionOf(refusedWith(status)))).toEqual(statuses.map(() => decision));
});

test.each(["invalid_client", "temporarily_unavailable"])("a 400 with the OAuth error %s is temporary", (reason) => {
  expect(decisionOf(refusedWith(400, reason))).toBe("temporary");
  expect(decisionOf(refusedWith(503, reason))).toBe("unknown");
});

test("only a refusal that decides nothing may have taken effect", () => {
  expect([400, 401, 403, 429].map((status) => isConclusive(refusedWith(status)))).toEqual([true, true, true, true]);
  expect([307, 408, 409, 500].map((status) => isConclusive(refusedWith(status)))).toEqual([false, false, false, false]);
});

test("no response decides nothing, unless no connection was made", () => {
  expect(decisionOf({ kind: "unreachable", cause: "timeout", description: "" })).toBe("unknown");
  expect(decisionOf({ kind: "unreachable", cause: "cut", description: "" })).toBe("unknown");
  expect(decisionOf({ kind: "unreachable", cause: "no_connection", description: "" })).toBe("temporary");
});

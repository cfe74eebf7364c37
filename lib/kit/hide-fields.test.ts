import { expect, test } from "vitest";
import { hideFields } from "./hide-fields.ts";

const names = new Set(["ssn", "token"]);

test("replaces a hidden field anywhere, in objects and lists", () => {
  const fields = { token: "canary", list: [{ ssn: "canary" }, [{ ssn: 5 }]], inner: { ssn: null, kept: 1 } };
  expect(hideFields(fields, names)).toEqual({
    token: "[redacted]",
    list: [{ ssn: "[redacted]" }, [{ ssn: "[redacted]" }]],
    inner: { ssn: "[redacted]", kept: 1 },
  });
});

test("reduces an error to its name, code, message and frames", () => {
  const error = Object.assign(new TypeError("no"), {
    code: "23505",
    detail: "Key (phone)=(canary) exists",
    token: "canary",
  });
  const { cause } = hideFields({ cause: { error } }, names) as { cause: { error: object } };
  expect(cause.error).toEqual({ name: "TypeError", message: "no", errorCode: "23505", frames: expect.any(Array) });
});

test("returns values without hidden fields unchanged", () => {
  const fields = { at: new Date(), list: [1, "a"], nothing: null, token: undefined };
  expect(hideFields(fields, names)).toBe(fields);
});

test("does not modify the given fields", () => {
  const fields = { inner: { ssn: "123" } };
  hideFields(fields, names);
  expect(fields).toEqual({ inner: { ssn: "123" } });
});

test("hides values nested too deep, and stops at cyclic objects", () => {
  const deep = { a: { b: { c: { d: { e: { f: "canary" } } } } } };
  expect(JSON.stringify(hideFields(deep, names))).toBe('{"a":{"b":{"c":{"d":{"e":"[redacted]"}}}}}');
  const round: Record<string, unknown> = {};
  round["round"] = round;
  expect(JSON.stringify(hideFields(round, names))).toContain("[redacted]");
});

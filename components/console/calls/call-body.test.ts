import { expect, test } from "vitest";
import type { CallField } from "./call-body.ts";
import { answersOf, buildCallBody } from "./call-body.ts";

const field = (name: string, kind: CallField["kind"], more: Partial<CallField> = {}): CallField => ({
  name,
  label: name,
  kind,
  ...more,
});
const body = (fields: CallField[], answers: Record<string, string>, fixed?: Record<string, unknown>) =>
  buildCallBody(fixed, fields, new Map(Object.entries(answers)));

test("a call without fields has its fixed body, or none", () => {
  expect(body([], {})).toBeUndefined();
  expect(body([], {}, {})).toEqual({});
  expect(body([], {}, { kind: "access_token" })).toEqual({ kind: "access_token" });
});

test.each([
  ["text", " a b ", "a b"],
  ["text", "  ", undefined],
  ["choice", "drop", "drop"],
  ["number", " 1.5 ", 1.5],
  ["number", "1,5", "1,5"],
  ["number", "", undefined],
  ["yes_or_no", "yes", true],
  ["yes_or_no", "no", false],
  ["lines", " http://a/b\n\n http://c/d ", ["http://a/b", "http://c/d"]],
  ["lines", "", []],
  ["time", "2026-01-31T09:30", "2026-01-31T09:30:00.000Z"],
  ["time", "yesterday", "yesterday"],
  ["time", "", undefined],
] as const)("%s: %j becomes %j", (kind, answer, value) => {
  expect(body([field("one", kind)], { one: answer })).toEqual(value === undefined ? {} : { one: value });
});

test("a dotted name is a path in the body", () => {
  const fields = [field("reasons.0.code", "text"), field("reasons.0.message", "text"), field("status", "choice")];
  expect(body(fields, { "reasons.0.code": "a", "reasons.0.message": "b", status: "rejected" })).toEqual({
    status: "rejected",
    reasons: [{ code: "a", message: "b" }],
  });
  expect(body(fields, { status: "approved" })).toEqual({ status: "approved" });
});

test("a conditional field is left out unless its condition holds, even if filled in", () => {
  const fields = [field("status", "choice"), field("why", "text", { onlyWith: { name: "status", value: "failed" } })];
  expect(body(fields, { status: "failed", why: "closed" })).toEqual({ status: "failed", why: "closed" });
  expect(body(fields, { status: "processed", why: "closed" })).toEqual({ status: "processed" });
});

test("doesn't mutate the fixed body", () => {
  const fixed = { within: { one: 1 } };
  body([field("within.two", "number")], { "within.two": "2" }, fixed);
  expect(fixed).toEqual({ within: { one: 1 } });
});

test("what was typed stays after a refresh, except a choice that's no longer offered; other fields follow the page", () => {
  const fieldsWith = (url: string, ...steps: string[]) => [
    field("url", "text", { initial: url }),
    field("status", "choice", { initial: steps[0] ?? "", choices: steps.map((step) => [step, step]) }),
  ];
  const typed = (values: Record<string, string>, fields: CallField[]) =>
    Object.fromEntries(answersOf(fields, new Map(Object.entries(values))));
  expect(typed({}, fieldsWith("new", "active"))).toEqual({ url: "new", status: "active" });
  expect(typed({ url: "mine" }, fieldsWith("new", "active"))).toEqual({ url: "mine", status: "active" });
  expect(typed({ status: "closed" }, fieldsWith("new", "active", "closed"))).toMatchObject({ status: "closed" });
  expect(typed({ status: "closed" }, fieldsWith("new", "active"))).toMatchObject({ status: "active" });
});

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { addressOf, choose, readFilters } from "./filters.ts";

const [call] = JSON.parse(readFileSync("lib/contract/examples/sandbox.json", "utf8")).EventPage.events as [
  SandboxEvent,
];
const control = { ...call, kind: "control", id: "4712", operation: "advanceSandboxClock", joins: ["trace:1"] };
const events = [call, control as SandboxEvent];

test("a URL carries the filters and nothing else", () => {
  const filters = { kinds: ["call" as const, "visit" as const], search: "a b&c", join: "visit:1", event: "7" };
  const address = addressOf(filters);
  expect(address).toBe("/console?kind=call%2Cvisit&q=a+b%26c&join=visit%3A1&event=7");
  expect(readFilters(new URL(address, "http://a").searchParams)).toEqual(filters);
  expect(readFilters(new URLSearchParams("kind=nothing"))).toEqual({ kinds: [], search: "", join: "", event: "" });
  expect(addressOf(readFilters(new URLSearchParams()))).toBe("/console");
});

test("filters by kind, search text, and join", () => {
  const none = { kinds: [], search: "", join: "" };
  const ids = (filters: object) => choose(events, { ...none, ...filters }).map(({ id }) => id);
  expect(ids({})).toEqual(["4711", "4712"]);
  expect(ids({ kinds: ["control"] })).toEqual(["4712"]);
  expect(ids({ search: " ADVANCE sandbox " })).toEqual(["4712"]);
  expect(ids({ search: "0000000000ff" })).toEqual(["4711"]);
  expect(ids({ join: "trace:1" })).toEqual(["4712"]);
  expect(ids({ join: "trace:1", kinds: ["call"] })).toEqual([]);
});

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
  const filters = {
    kinds: ["call" as const, "visit" as const],
    search: "a b&c",
    join: "visit:1",
    event: "7",
    hidesReads: true,
    isGrouped: true,
  };
  const address = addressOf(filters);
  expect(address).toBe("/console?kind=call%2Cvisit&q=a+b%26c&join=visit%3A1&event=7&reads=hidden&by=person");
  expect(readFilters(new URL(address, "http://a").searchParams)).toEqual(filters);
  const none = { kinds: [], search: "", join: "", event: "", hidesReads: false, isGrouped: false };
  expect(readFilters(new URLSearchParams("kind=nothing"))).toEqual(none);
  expect(addressOf(readFilters(new URLSearchParams()))).toBe("/console");
});

test("filters by kind, search text, and join", () => {
  const none = { kinds: [], search: "", join: "", hidesReads: false };
  const ids = (filters: object) => choose(events, { ...none, ...filters }).map(({ id }) => id);
  expect(ids({})).toEqual(["4711", "4712"]);
  expect(ids({ kinds: ["control"] })).toEqual(["4712"]);
  expect(ids({ search: " ADVANCE sandbox " })).toEqual(["4712"]);
  expect(ids({ search: "0000000000ff" })).toEqual(["4711"]);
  expect(ids({ join: "trace:1" })).toEqual(["4712"]);
  const read = { ...call, id: "4713", method: "GET" } as SandboxEvent;
  const chosen = choose([...events, read, { ...read, kind: "control" } as SandboxEvent], { ...none, hidesReads: true });
  expect(chosen.map(({ kind, id }) => `${kind} ${id}`)).toEqual(["call 4711", "control 4712", "control 4713"]);
  expect(ids({ join: "trace:1", kinds: ["call"] })).toEqual([]);
});

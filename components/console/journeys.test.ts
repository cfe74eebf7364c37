import { expect, test } from "vitest";
import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { journeysOf } from "./journeys.ts";

let ids = 0;
function event(joins: string[], more: object = {}): SandboxEvent {
  return { id: String(++ids), kind: "call", path_template: "/v1/user", joins, ...more } as unknown as SandboxEvent;
}
const shown = (events: SandboxEvent[]) => journeysOf(events).map(({ person, events: steps }) => [person, steps.length]);

test("an intent's events and its user's form one journey, including those before the user existed", () => {
  const events = [
    event(["trace:1", "intent:a"]),
    event(["trace:2", "visit:v", "intent:a"]),
    event(["trace:2", "visit:v"]),
    event(["trace:3", "token:t", "intent:a", "user:u"]),
    event(["trace:4", "token:t"]),
    event(["trace:5", "routine:r", "transfer:f", "user:u"]),
    event(["trace:6", "transfer:f"]),
  ];
  expect(shown(events)).toEqual([["user:u", 7]]);
});

test("people have separate journeys even within one action, and a payment belongs to its payer", () => {
  const events = [
    event(["trace:1", "user:payer", "routine:r", "user:payee"]),
    event(["trace:1", "user:payee", "token:t"]),
    event(["trace:1", "webhook:w", "routine:r"]),
    event(["trace:1"]),
    event(["trace:2", "intent:b"]),
  ];
  expect(shown(events)).toEqual([
    ["user:payer", 2],
    ["user:payee", 1],
    ["", 1],
    ["intent:b", 1],
  ]);
});

test("events without a person form their own group, without stages", () => {
  const [journey] = journeysOf([event(["trace:1"], { path_template: "/v1/oauth/token" })]);
  expect(journey).toMatchObject({ person: "", name: undefined, stages: [] });
});

test("a journey has its person's name and the stages reached, in order", () => {
  const events = [
    event(["user:u"], { path_template: "/v1/routines/book" }),
    event(["user:u"], { path_template: "/v1/oauth/token" }),
    event(["user:u"], { path_template: "/v1/user", response: { body: { first_name: "Marta", last_name: "Quay" } } }),
    event(["user:u"], { kind: "visit" }),
  ];
  expect(journeysOf(events)).toMatchObject([{ name: "Marta Quay", stages: ["visit", "tokens", "payments"] }]);
});

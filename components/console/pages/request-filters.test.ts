import { expect, test } from "vitest";
import type { UserIntentList } from "#lib/contract/sandbox.ts";
import type { RequestRecord } from "#lib/contract/sandbox-events.ts";
import { chooseRequests, countErrors, joinsOf, readRequestFilters } from "./request-filters.ts";

const made = (id: string, more: Partial<RequestRecord>): RequestRecord => ({
  ...{ id, request_id: `r${id}`, trace_id: "t", operation: "readUser", method: "GET", path_template: "/v1/user" },
  ...{ path: "/v1/user", status: 200, reason: null, duration_ms: 1, request_body: null, response_body: null },
  answered_at: "2026-01-31T09:30:00Z",
  ...more,
});
const requests = [
  made("5", {}),
  made("4", { status: 401, reason: "token_expired" }),
  made("3", { status: 401, reason: "token_expired" }),
  made("2", { status: 404, reason: "not_found", path_template: "/v1/user_intent/{id}", path: "/v1/user_intent/7" }),
  made("1", { method: "POST", status: null, path_template: "/v1/routines/book", path: "/v1/routines/book" }),
];

test.each([
  ["method=POST", ["1"]],
  ["status=401", ["4", "3"]],
  ["status=errors", ["4", "3", "2", "1"]],
  ["status=none", ["1"]],
  ["route=/v1/user", ["5", "4", "3"]],
  ["person=user:1", ["3", "2"]],
  ["person=user:1&status=404", ["2"]],
  ["q=Not_Found", ["2"]],
  ["", ["5", "4", "3", "2", "1"]],
])("filters by %s", (query, ids) => {
  const filters = readRequestFilters(new URLSearchParams(query));
  expect(chooseRequests(requests, filters, new Set(["3", "2"])).map(({ id }) => id)).toEqual(ids);
});

test("counts errors by status and reason, the most frequent first", () => {
  expect(countErrors(requests)).toEqual([
    { status: "401", reason: "token_expired", count: 2 },
    { status: "404", reason: "not_found", count: 1 },
    { status: "none", reason: "", count: 1 },
  ]);
});

test("a user's calls include their intent's; an intent's calls are only its own", () => {
  const intent = (id: string, user_id: string | null) => ({ id, user_id }) as UserIntentList["user_intents"][number];
  const intents = { user_intents: [intent("i1", "u1"), intent("i2", "u2"), intent("i3", null)] };
  expect(joinsOf("user:u1", intents)).toEqual(["user:u1", "intent:i1"]);
  expect(joinsOf("intent:i3", intents)).toEqual(["intent:i3"]);
});

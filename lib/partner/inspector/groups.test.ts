import { expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { groupEntries, joinEntries } from "./groups.ts";
import type { InspectedEntry } from "./read-inspector.ts";

function entryOf(fields: Partial<InspectedEntry>, second = 0): InspectedEntry {
  const at = new Date(Date.UTC(2026, 0, 31, 9, 30, second)).toISOString();
  const call = {
    kind: "call",
    method: "GET",
    path: "/v1/user",
    outcome: "ok",
    problems: [],
    request: { headers: {} },
  } as const;
  return { ...call, problems: [], id: newId(), traceId: "a", at, rule: undefined, consoleUrl: undefined, ...fields };
}

test("one action's exchanges are grouped, oldest first; the newest action comes first", () => {
  const groups = groupEntries([
    entryOf({ traceId: "a", path: "/1" }, 1),
    entryOf({ traceId: "b", path: "/2" }, 2),
    entryOf({ traceId: "a", path: "/3" }, 3),
  ]);
  expect(groups.map(({ traceId, entries }) => [traceId, entries.map(({ path }) => path)])).toEqual([
    ["a", ["/1", "/3"]],
    ["b", ["/2"]],
  ]);
  expect(groups[0]?.at).toBe("2026-01-31T09:30:01.000Z");
});

test.each([
  ["Onboarding", [{ kind: "webhook" }, { method: "POST", path: "/v1/user_intent", cause: "POST /onboarding" }]],
  ["Payment", [{ method: "POST", path: "/v1/routines/book" }]],
  ["Authorization", [{ method: "POST", path: "/v1/partner/identity/verification" }]],
  ["Disconnecting", [{ method: "POST", path: "/v1/oauth/revoke" }]],
  ["Page /dashboard", [{ cause: "GET /dashboard" }]],
  ["Form on /business", [{ cause: "POST /business" }]],
  ["Updates from the service", [{ kind: "webhook", method: "POST", path: "/webhooks" }]],
  ["Updates from the service", [{ cause: "webhook user_updated" }]],
  ["In the background", [{}]],
] as [string, Partial<InspectedEntry>[]][])("an action is called %s", (title, entries) => {
  expect(groupEntries(entries.map((fields) => entryOf(fields)))).toMatchObject([{ title }]);
});

test("duplicates are shown once, and the oldest beyond the limit are dropped", () => {
  const [first, second, third] = [entryOf({}, 1), entryOf({}, 2), entryOf({}, 3)];
  expect(joinEntries([second, first], [third, second], 2)).toEqual([third, second]);
});

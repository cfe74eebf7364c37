import { expect, test } from "vitest";
import type { CheckedRule } from "#lib/contract/sandbox-checks.ts";
import { drillState } from "./drill.tsx";

const rule = (id: string, state: CheckedRule["state"], is_advice = false): CheckedRule => ({
  ...{ id, state, is_advice, title: id, rests_on: "decisions", what_to_do: "" },
  ...{ clauses: [], evidence: [], drills: [] },
});
const outcome = (expect: string[], ...rules: CheckedRule[]) => drillState({ expect }, { rules }).outcome;

test("passes only when every expected rule is kept", () => {
  expect(outcome(["a", "b"], rule("a", "kept"), rule("b", "kept"), rule("c", "not_seen"))).toBe("passed");
  expect(outcome(["a", "b"], rule("a", "kept"), rule("b", "not_seen"))).toBe("under_way");
  expect(outcome(["a", "b"], rule("a", "kept"))).toBe("under_way");
});

test("fails on any broken rule, expected or not, except advice", () => {
  expect(outcome(["a"], rule("a", "broken"))).toBe("failed");
  const state = drillState({ expect: ["a"] }, { rules: [rule("a", "kept"), rule("c", "broken")] });
  expect([state.outcome, state.alsoBroken.map(({ id }) => id)]).toEqual(["failed", ["c"]]);
  expect(outcome(["a"], rule("a", "kept"), rule("c", "broken", true))).toBe("passed");
});

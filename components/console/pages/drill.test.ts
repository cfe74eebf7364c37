import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime.js";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { CheckedRule, CheckReport } from "#lib/contract/sandbox-checks.ts";
import { DrillPage, drillState } from "./drill.tsx";

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

test("a drill that started after the newest recorded event has to be restarted", () => {
  const drill = {
    ...{ id: "lost", title: "Lost", broken: "", clauses: [], interface_says: "", good_client: "" },
    ...{ steps: [], expect: ["a"], proof: "" },
  };
  const report = { events: 0, last_event: "7", rules: [rule("a", "not_seen")] } as Partial<CheckReport> as CheckReport;
  const render = (after: string) => {
    const page = createElement(DrillPage, { drill, after, report, webhooks: undefined, lastEvent: "7" });
    const router = { refresh: () => undefined } as never;
    return renderToStaticMarkup(createElement(AppRouterContext.Provider, { value: router }, page));
  };
  expect(render("7")).toContain("In progress");
  expect(render("8")).toContain("Restart the drill");
  expect(render("8")).not.toContain("In progress");
  expect(render("8")).not.toContain("What your app did");
});

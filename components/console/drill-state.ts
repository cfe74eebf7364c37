import type { CheckedRule, CheckReport, DrillRecord } from "#lib/contract/sandbox-checks.ts";

/** How a drill stands: `passed` when every expected rule is kept and none at all is broken. */
export type DrillState = {
  outcome: "under_way" | "passed" | "failed";
  /** The rules that the drill expects, as the record since its beginning judges them, in the drill's order. */
  expected: CheckedRule[];
  /** Rules that broke beside them. */
  alsoBroken: CheckedRule[];
};

/** Judges a drill by the report of what happened since it began. Advice that is broken fails no drill. */
export function drillState({ expect }: Pick<DrillRecord, "expect">, { rules }: Pick<CheckReport, "rules">): DrillState {
  const expected = expect.flatMap((id) => rules.find((rule) => rule.id === id) ?? []);
  const alsoBroken = rules.filter(
    ({ id, state, is_advice }) => state === "broken" && !is_advice && !expect.includes(id),
  );
  const isBroken = alsoBroken.length > 0 || expected.some(({ state }) => state === "broken");
  const isKept = expected.length === expect.length && expected.every(({ state }) => state === "kept");
  return { outcome: isBroken ? "failed" : isKept ? "passed" : "under_way", expected, alsoBroken };
}

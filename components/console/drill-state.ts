import type { CheckedRule, CheckReport, DrillRecord } from "#lib/contract/sandbox-checks.ts";

/** `passed`: every expected rule is kept, and no rule is broken. */
export type DrillState = {
  outcome: "under_way" | "passed" | "failed";
  /** The drill's rules, judged since its start, in order. */
  expected: CheckedRule[];
  /** Other broken rules. */
  alsoBroken: CheckedRule[];
};

/** Judges a drill by the report since its start. Broken advice doesn't fail a drill. */
export function drillState({ expect }: Pick<DrillRecord, "expect">, { rules }: Pick<CheckReport, "rules">): DrillState {
  const expected = expect.flatMap((id) => rules.find((rule) => rule.id === id) ?? []);
  const alsoBroken = rules.filter(
    ({ id, state, is_advice }) => state === "broken" && !is_advice && !expect.includes(id),
  );
  const isBroken = alsoBroken.length > 0 || expected.some(({ state }) => state === "broken");
  const isKept = expected.length === expect.length && expected.every(({ state }) => state === "kept");
  return { outcome: isBroken ? "failed" : isKept ? "passed" : "under_way", expected, alsoBroken };
}

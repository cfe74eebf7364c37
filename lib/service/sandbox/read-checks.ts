import type { RuleState } from "../../contract/sandbox-checks.ts";
import { allRules } from "../domain/checks/all-rules.ts";
import { readHistory } from "../domain/checks/history.ts";
import { type Rule, verdictOf } from "../domain/checks/rule.ts";
import { allDrills } from "../domain/drills/all-drills.ts";
import { readAllEvents } from "./events/list-events.ts";

/** A rule with what the record of a client says of it, and the drills that provoke it. */
export type JudgedRule = { rule: Rule; state: RuleState; evidence: string[]; drillIds: string[] };

/** What the record says of every rule, and how much of a record it was. */
export type Checks = { judgedAt: Date; eventsCount: number; lastEvent: string | null; rules: JudgedRule[] };

/**
 * Judges a client by all that is kept of it. With `after`, only what followed that event counts, but what came before is still
 * known: a token that is used now was issued then. Decision D21
 */
export async function readChecks(clientId: string, { after }: { after: number | undefined }): Promise<Checks> {
  const events = await readAllEvents(clientId);
  const counted = events.filter(({ id }) => Number(id) > (after ?? 0));
  const judgedAt = new Date();
  const history = readHistory(events, { until: judgedAt });
  return {
    judgedAt,
    eventsCount: counted.length,
    lastEvent: counted.at(-1)?.id ?? (after === undefined ? null : String(after)),
    rules: allRules.map((rule) => {
      const verdict = verdictOf(rule.judge(history), { after: after ?? 0 });
      return {
        rule,
        state: verdict.state,
        evidence: verdict.state === "not_seen" ? [] : verdict.evidence,
        drillIds: allDrills.filter((drill) => drill.expect.includes(rule.id)).map(({ id }) => id),
      };
    }),
  };
}

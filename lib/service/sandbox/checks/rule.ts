import { limits } from "../../../contract/limits.ts";
import type { SandboxEvent } from "../../../contract/sandbox-events.ts";
import type { History } from "./history.ts";

/** The events that say that a rule was kept, and those that say that it was broken. */
export type Findings = { kept: readonly SandboxEvent[]; broken: readonly SandboxEvent[] };

/** What the record says of a rule, with the ids of the events that say it. */
export type Verdict = { state: "not_seen" } | { state: "kept" | "broken"; evidence: string[] };

/**
 * A rule of a right integration. `clauses` are those of the interface and of the decisions on which it rests; a rule without
 * one of the interface rests on decisions alone. A rule that is advice asks for what no clause demands. Decision D21
 */
export type Rule = {
  id: string;
  title: string;
  clauses: readonly string[];
  isAdvice: boolean;
  /** For whoever broke it. */
  whatToDo: string;
  /** Pure: the same record gives the same findings. Where the record allows two readings, the client is not blamed. */
  judge: (history: History) => Findings;
};

/** The findings of a rule that judges each of some events by itself; undefined says that one tells nothing. */
export function judgeEach<Event extends SandboxEvent>(
  events: readonly Event[],
  judge: (event: Event) => "kept" | "broken" | undefined,
): Findings {
  const groups = Map.groupBy(events, judge);
  return { kept: groups.get("kept") ?? [], broken: groups.get("broken") ?? [] };
}

/**
 * The verdict of the findings that follow the event `after`; 0 counts all. One event that breaks a rule outweighs all that
 * keep it.
 */
export function verdictOf({ kept, broken }: Findings, { after }: { after: number }): Verdict {
  const blame = evidenceOf(broken, after);
  if (blame.length > 0) return { state: "broken", evidence: blame };
  const praise = evidenceOf(kept, after);
  return praise.length > 0 ? { state: "kept", evidence: praise } : { state: "not_seen" };
}

// The first ones, because what went wrong later may follow from them.
function evidenceOf(events: readonly SandboxEvent[], after: number): string[] {
  const ids = new Set<string>();
  for (const { id } of events) {
    if (Number(id) > after) ids.add(id);
    if (ids.size === limits.checkEvidenceMax) break;
  }
  return [...ids];
}

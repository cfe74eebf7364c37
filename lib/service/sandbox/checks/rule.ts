import { limits } from "../../../contract/limits.ts";
import type { SandboxEvent } from "../../../contract/sandbox-events.ts";
import type { History } from "./history.ts";

export type Findings = { kept: readonly SandboxEvent[]; broken: readonly SandboxEvent[] };

export type Verdict = { state: "not_seen" } | { state: "kept" | "broken"; evidence: string[] };

/**
 * One rule of a correct integration. `clauses` are its grounds in the interface and the decisions. Advice goes beyond what any
 * clause demands. Decision D21
 */
export type Rule = {
  id: string;
  title: string;
  clauses: readonly string[];
  isAdvice: boolean;
  /** How to fix a violation. */
  whatToDo: string;
  /** Pure. An ambiguous record counts in the client's favor. */
  judge: (history: History) => Findings;
};

/** Judges each event on its own; undefined for one that shows nothing. */
export function judgeEach<Event extends SandboxEvent>(
  events: readonly Event[],
  judge: (event: Event) => "kept" | "broken" | undefined,
): Findings {
  const groups = Map.groupBy(events, judge);
  return { kept: groups.get("kept") ?? [], broken: groups.get("broken") ?? [] };
}

export function mergeFindings(parts: readonly Partial<Findings>[]): Findings {
  return {
    kept: parts.flatMap(({ kept = [] }) => kept),
    broken: parts.flatMap(({ broken = [] }) => broken),
  };
}

/** The verdict on the findings after the event `after`; 0 counts all. One broken event outweighs any number of kept ones. */
export function verdictOf({ kept, broken }: Findings, { after }: { after: number }): Verdict {
  const violations = evidenceOf(broken, after);
  if (violations.length > 0) return { state: "broken", evidence: violations };
  const compliance = evidenceOf(kept, after);
  return compliance.length > 0 ? { state: "kept", evidence: compliance } : { state: "not_seen" };
}

// The first ones: later failures may follow from them.
function evidenceOf(events: readonly SandboxEvent[], after: number): string[] {
  const ids = new Set<string>();
  for (const { id } of events) {
    if (Number(id) > after) ids.add(id);
    if (ids.size === limits.checkEvidenceMax) break;
  }
  return [...ids];
}

import { limits } from "../../../contract/limits.ts";
import type { SandboxEvent } from "../../../contract/sandbox-events.ts";
import { endOf, type History, startOf } from "./history.ts";

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
  isAdvice?: true;
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

/**
 * Judges response times. A response over a second breaks the rule if the one before it was slow too. A single slow one may be a
 * cold start, or a pause of the whole process, which delays every response of that moment.
 */
export function judgePace(events: readonly SandboxEvent[]): Findings {
  const answers = events.toSorted((left, right) => endOf(left) - endOf(right));
  const isSlow = (answer?: SandboxEvent) => (answer?.duration_ms ?? 0) >= limits.checkAnswerMs;
  const [kept, broken]: [SandboxEvent[], SandboxEvent[]] = [[], []];
  for (const [index, answer] of answers.entries()) {
    if (!isSlow(answer)) {
      kept.push(answer);
      continue;
    }
    let before = answers[index - 1];
    for (let at = index - 2; before && endOf(before) > startOf(answer); at--) before = answers[at];
    if (isSlow(before)) broken.push(answer);
  }
  return { kept, broken };
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

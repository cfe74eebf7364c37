import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, groupByText, sameCallKey, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";

/** How long to wait is said by whoever is asked too much. */
export const retryAfterObeyed: Rule = {
  id: "retry-after-obeyed",
  title: "Waits for as long as retry-after says",
  clauses: ["D5.11", "D17.1"],
  isAdvice: false,
  whatToDo:
    "Read retry-after of each answer 429 and 503, and send the call again when that many seconds have passed, not before.",
  judge: (history) => {
    const parts = [...groupByText(history.calls, (call) => sameCallKey(call, history)).values()].map(judgeCalls);
    return {
      kept: parts.flatMap(({ kept }) => kept),
      broken: parts.flatMap(({ broken }) => broken),
    };
  },
};

// A timer that is a little early is no offence.
const earlyMs = 250;

function judgeCalls(calls: readonly CallEvent[]): { kept: SandboxEvent[]; broken: SandboxEvent[] } {
  const kept: SandboxEvent[] = [];
  const broken: SandboxEvent[] = [];
  for (const told of calls) {
    const { retry_after_seconds: seconds } = told.facts;
    if (seconds === null || (told.status !== 429 && told.status !== 503)) continue;
    const later = calls.filter((call) => call !== told && startOf(call) >= endOf(told));
    const early = later.filter((call) => startOf(call) < endOf(told) + seconds * 1000 - earlyMs);
    // Somebody in another tab may not know yet; a payment with this key is in one hand.
    if (early.length > (told.facts.idempotency_key === null ? 1 : 0)) broken.push(told, ...early);
    else if (later.length > 0 && early.length === 0) kept.push(told, ...later.slice(0, 1));
  }
  return { kept, broken: broken.slice(0, limits.checkEvidenceMax) };
}

import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { endOf } from "../history.ts";
import type { Rule } from "../rule.ts";
import { placeFrom } from "../search.ts";

/** How long to wait is said by whoever is asked too much. */
export const retryAfterObeyed: Rule = {
  id: "retry-after-obeyed",
  title: "Waits for as long as retry-after says",
  clauses: ["D5.11", "D17.1"],
  isAdvice: false,
  whatToDo:
    "Read retry-after of each answer 429 and 503, and send the call again when that many seconds have passed, not before.",
  judge: (history) => {
    const parts = [...history.callsOfKey.values()].map(judgeCalls);
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
  for (const [place, told] of calls.entries()) {
    const { retry_after_seconds: seconds } = told.facts;
    if (seconds === null || (told.status !== 429 && told.status !== 503)) continue;
    // One that took no time is not later than itself.
    const later = Math.max(placeFrom(calls, endOf(told)), place + 1);
    const early = calls.slice(
      later,
      Math.min(placeFrom(calls, endOf(told) + seconds * 1000 - earlyMs), later + limits.checkEvidenceMax),
    );
    const next = calls[later];
    // Somebody in another tab may not know yet; a payment with this key is in one hand.
    if (early.length > (told.facts.idempotency_key === null ? 1 : 0)) {
      if (broken.length < limits.checkEvidenceMax) broken.push(told, ...early);
    } else if (next && early.length === 0) kept.push(told, next);
  }
  return { kept, broken: broken.slice(0, limits.checkEvidenceMax) };
}

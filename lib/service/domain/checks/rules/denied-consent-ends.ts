import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, VisitEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, type History, isExchange, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";
import { findAuthorized } from "../visits.ts";

/** A person who says no has answered: there is nothing to exchange, and nobody asks again unbidden. */
export const deniedConsentEnds: Rule = {
  id: "denied-consent-ends",
  title: "Takes no for an answer: no exchange, and no loop",
  clauses: ["D9.3", "D9.5"],
  isAdvice: false,
  whatToDo:
    "Read error before code at your redirect_uri. After access_denied, show a page of your own that offers to try again, and send nobody back by itself.",
  judge: (history) => {
    const denials = history.visits.filter(
      ({ step, facts }) => step === "cancelled" || (step === "sent_back" && facts.error === "access_denied"),
    );
    return {
      kept: denials,
      broken: [...denials.flatMap((denial) => exchangesAfter(denial, history)), ...loopsIn(denials, history)],
    };
  },
};

/** Exchanges of no code, or of one that nobody was given, where a denial has just come back. */
function exchangesAfter(denial: VisitEvent, history: History): CallEvent[] {
  return history.calls.filter((call) => {
    const afterMs = startOf(call) - endOf(denial);
    const isNext = isExchange(call) && afterMs >= 0 && afterMs < limits.checkFollowUpMs;
    return isNext && !findAuthorized(call.facts.code, history) && !isDuringRecord(call, denial, history);
  });
}

// A code may have been given before the record begins.
function isDuringRecord(call: CallEvent, denial: VisitEvent, { events }: History): boolean {
  const [first] = events;
  const recordMs = first ? startOf(denial) - startOf(first) : 0;
  return call.facts.code !== null && first?.id !== "1" && recordMs < limits.authorizationCodeSeconds * 1000;
}

/** Visits that were opened, twice at least, sooner after a denial than a person reads a page. */
function loopsIn(denials: VisitEvent[], { visits }: History): VisitEvent[] {
  const reopened = denials.flatMap((denial) => {
    const next = visits.find(
      (visit) =>
        visit.step === "opened" &&
        visit.visit_id !== denial.visit_id &&
        startOf(visit) >= endOf(denial) &&
        startOf(visit) - endOf(denial) < limits.checkAtOnceMs &&
        personOf(visit) === personOf(denial),
    );
    return next ? [next] : [];
  });
  return reopened.length > 1 ? reopened : [];
}

function personOf({ facts }: VisitEvent): string | null {
  return facts.user_intent_id ?? facts.user_id;
}

import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, VisitEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, groupBy, type History, isExchange, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";
import { placeFrom } from "../search.ts";
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
      broken: [...exchangesAfter(denials, history), ...loopsIn(denials, history)],
    };
  },
};

/** Exchanges of no code, or of one that nobody was given, where a denial has just come back. Each is named once. */
function exchangesAfter(denials: readonly VisitEvent[], history: History): CallEvent[] {
  const idle = history.calls.filter((call) => isExchange(call) && !findAuthorized(call.facts.code, history));
  const withoutCode = new Unnamed(idle.filter(({ facts }) => facts.code === null));
  const withCode = new Unnamed(idle.filter(({ facts }) => facts.code !== null));
  return denials.flatMap((denial) => {
    const found = withoutCode.takeAfter(endOf(denial));
    return isEarlyInRecord(denial, history)
      ? found
      : [...found, ...withCode.takeAfter(endOf(denial))].sort((left, right) => startOf(left) - startOf(right));
  });
}

/** Exchanges, each of which is taken once, however many denials came right before it. */
class Unnamed {
  readonly #calls: readonly CallEvent[];
  // The next place that was not taken, at or after each; a chain of places that is shortened as it is followed.
  readonly #next: Int32Array;

  constructor(calls: readonly CallEvent[]) {
    this.#calls = calls;
    this.#next = Int32Array.from({ length: calls.length + 1 }, (_, place) => place);
  }

  takeAfter(ms: number): CallEvent[] {
    const taken: CallEvent[] = [];
    for (let place = this.#free(placeFrom(this.#calls, ms)); ; place = this.#free(place)) {
      const call = this.#calls[place];
      if (!call || startOf(call) - ms >= limits.checkFollowUpMs) return taken;
      taken.push(call);
      this.#next[place] = place + 1;
    }
  }

  #free(from: number): number {
    let place = from;
    for (;;) {
      const next = this.#next[place] ?? place;
      if (next === place) return place;
      this.#next[place] = this.#next[next] ?? next;
      place = next;
    }
  }
}

// A code may have been given before the record begins.
function isEarlyInRecord(denial: VisitEvent, { events }: History): boolean {
  const [first] = events;
  const recordMs = first ? startOf(denial) - startOf(first) : 0;
  return first?.id !== "1" && recordMs < limits.authorizationCodeSeconds * 1000;
}

/** Visits that were opened, twice at least, sooner after a denial than a person reads a page. */
function loopsIn(denials: readonly VisitEvent[], { visits }: History): VisitEvent[] {
  const openings = visits.filter(({ step }) => step === "opened");
  const ofPerson = new Map([...groupBy(openings, personOf)].map(([person, group]) => [person, new Openings(group)]));
  const reopened = denials.flatMap((denial) => ofPerson.get(personOf(denial))?.firstOfAnotherVisit(denial) ?? []);
  return reopened.length > 1 ? reopened : [];
}

/** The visits that one person opened. */
class Openings {
  readonly #visits: readonly VisitEvent[];
  // Of each, the place of the next with another visit's id.
  readonly #nextOther: Int32Array;

  constructor(visits: readonly VisitEvent[]) {
    this.#visits = visits;
    this.#nextOther = new Int32Array(visits.length);
    for (let place = visits.length - 1; place >= 0; place--) {
      const isSame = visits[place]?.visit_id === visits[place + 1]?.visit_id;
      this.#nextOther[place] = (isSame && this.#nextOther[place + 1]) || place + 1;
    }
  }

  firstOfAnotherVisit(denial: VisitEvent): VisitEvent | undefined {
    const place = placeFrom(this.#visits, endOf(denial));
    const first = this.#visits[place];
    const next = first?.visit_id === denial.visit_id ? this.#visits[this.#nextOther[place] ?? place] : first;
    return next && startOf(next) - endOf(denial) < limits.checkAtOnceMs ? next : undefined;
  }
}

function personOf({ facts }: VisitEvent): string | null {
  return facts.user_intent_id ?? facts.user_id;
}

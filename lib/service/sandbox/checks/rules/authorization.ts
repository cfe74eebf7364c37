import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, VisitEvent } from "../../../../contract/sandbox-events.ts";
import { clientTimeOf, endOf, groupByText, type History, isExchange, isSuccess, startOf } from "../history.ts";
import { type Findings, judgeEach, type Rule } from "../rule.ts";
import { indexFrom } from "../search.ts";
import { arrivalsOf, findAuthorized, findMint } from "../visits.ts";

const statePresent: Rule = {
  id: "state-present",
  title: "Sends a state with every visit",
  clauses: ["D9.1"],
  whatToDo:
    "Send a fresh random state with every visit, keep it in the browser's session, and reject a response that doesn't return it.",
  judge: ({ visits }) =>
    judgeEach(
      visits.filter(({ step }) => step === "opened"),
      ({ facts }) => (facts.state === null ? "broken" : "kept"),
    ),
};

const stateUnguessable: Rule = {
  id: "state-unguessable",
  title: "Sends a state that can't be guessed",
  clauses: ["D9.1"],
  whatToDo: `Generate the state from at least sixteen random bytes, encoded as base64url. Fewer than ${limits.checkStateCharactersMin} characters can't hold that many.`,
  judge: ({ visits }) =>
    judgeEach(
      visits.filter(({ step, facts }) => step === "opened" && facts.state !== null),
      ({ facts }) => (facts.state_length < limits.checkStateCharactersMin ? "broken" : "kept"),
    ),
};

const stateNeverRepeated: Rule = {
  id: "state-never-repeated",
  title: "Never reuses a state",
  clauses: ["D9.1"],
  whatToDo:
    "Generate a new state for each visit to the authorization pages. A constant, or the user's id, can't tell one visit from another.",
  judge: ({ visits }) => judgeRepeats(visits, "state"),
};

function judgeRepeats(visits: readonly VisitEvent[], name: "state" | "code_challenge"): Findings {
  const opened = visits.filter(({ step, facts }) => step === "opened" && facts[name] !== null);
  const groups = [...groupByText(opened, ({ facts }) => facts[name]).values()];
  return {
    kept: opened,
    // The same URL again is a reload.
    broken: groups.filter((group) => new Set(group.map(addressOf)).size > 1).flat(),
  };
}

function addressOf({ facts }: VisitEvent): string {
  const { state, session_token, code_challenge, user_intent_id, user_id, redirect_uri } = facts;
  return JSON.stringify([state, session_token, code_challenge, user_intent_id, user_id, redirect_uri]);
}

const challengeS256: Rule = {
  id: "challenge-s256",
  title: "Sends an S256 challenge with each visit",
  clauses: ["D9.1"],
  whatToDo:
    "Send code_challenge and code_challenge_method=S256 with every visit (RFC 7636), derived from a fresh random verifier.",
  judge: (history) =>
    judgeEach(arrivalsOf(history), ({ step, facts }) => {
      const isS256 = facts.code_challenge !== null && facts.code_challenge_method === "S256";
      if (step === "opened") return isS256 ? "kept" : "broken";
      return facts.code_challenge !== null && !isS256 ? "broken" : undefined;
    }),
};

const challengeNeverRepeated: Rule = {
  id: "challenge-never-repeated",
  title: "Never reuses a code_challenge",
  clauses: ["D9.1"],
  whatToDo:
    "Generate a new verifier from at least 32 random bytes for each visit. Anyone who has seen a constant verifier can redeem every code.",
  judge: ({ visits }) => judgeRepeats(visits, "code_challenge"),
};

const onePersonNamed: Rule = {
  id: "one-person-named",
  title: "Sends exactly one of user_id and user_intent_id",
  clauses: ["I.post-v1-partner-identity-verification.6", "D11.1"],
  whatToDo: "Send user_id for an existing user and user_intent_id for a new one, never both.",
  judge: ({ calls }) =>
    judgeEach(
      calls.filter(({ operation, facts }) => operation === "verifyPartnerIdentity" && facts.body !== null),
      ({ facts }) => (facts.named_people.length === 1 ? "kept" : "broken"),
    ),
};

const visitNamesThePerson: Rule = {
  id: "visit-names-the-person",
  title: "Sends the user_intent_id that the token was minted for",
  clauses: ["I.authorization-web-page.2", "D9.1"],
  whatToDo:
    "When you mint a session token with a user_intent_id, add the same user_intent_id to the URL of the authorization pages.",
  judge: (history) =>
    judgeEach(arrivalsOf(history), ({ facts }) => {
      const mint = findMint(facts.session_token, history);
      if (mint?.facts.named_people[0] !== "user_intent_id") return undefined;
      const minted = mint.joins.find((join) => join.startsWith("intent:"));
      const isSame = minted === undefined || minted === `intent:${facts.user_intent_id}`;
      return facts.user_intent_id !== null && isSame ? "kept" : "broken";
    }),
};

const sessionTokenPresent: Rule = {
  id: "session-token-present",
  title: "Sends an identity verification token with each visit",
  clauses: ["I.authorization-web-page.1", "D9.1"],
  whatToDo:
    "Call POST /v1/partner/identity/verification when the person clicks, and add its token to the URL as session_token. This sandbox lets people in without one where trusted authentication is off; the published interface doesn't.",
  judge: (history) =>
    judgeEach(arrivalsOf(history), ({ step, facts }) => {
      if (facts.session_token !== null) return "kept";
      // Anyone can type a partial URL.
      return step === "opened" ? "broken" : undefined;
    }),
};

const sessionTokenPerVisit: Rule = {
  id: "session-token-per-visit",
  title: "Mints an identity verification token for each visit",
  clauses: ["I.tokens-and-codes.4", "I.limits.7", "I.post-v1-partner-identity-verification.7"],
  whatToDo:
    "Call POST /v1/partner/identity/verification for each visit, in the request that redirects the person, and don't store the token.",
  judge: (history) => {
    const arrivals = arrivalsOf(history).filter(({ facts }) => facts.session_token !== null);
    const groups = [...groupByText(arrivals, ({ facts }) => facts.session_token).values()];
    return {
      kept: arrivals.filter(({ step }) => step === "opened"),
      // The same URL again is a reload or a step back.
      broken: groups
        .filter((group) => new Set(group.map(({ facts }) => `${facts.state} ${facts.code_challenge}`)).size > 1)
        .flat(),
    };
  },
};

const sessionTokenInTime: Rule = {
  id: "session-token-in-time",
  title: "Uses an identity verification token within its minute",
  clauses: ["I.tokens-and-codes.4", "I.limits.7"],
  whatToDo:
    "Mint the token in the request that answers the person's click with a redirect. A link rendered with a token in it expires while the person reads the page.",
  judge: (history) => {
    const arrivals = [...groupByText(arrivalsOf(history), ({ facts }) => facts.session_token).values()];
    // A later arrival with the same token is a reload.
    return judgeEach(
      arrivals.flatMap(([first]) => first ?? []),
      (visit) => {
        const mint = findMint(visit.facts.session_token, history);
        if (!mint) return undefined;
        const ageMs = clientTimeOf(visit) - clientTimeOf(mint);
        if (ageMs <= limits.identityVerificationTokenSeconds * 1000) return "kept";
        return startOf(visit) - endOf(mint) > limits.checkOverlapMs ? "broken" : undefined;
      },
    );
  },
};

const deniedConsentEnds: Rule = {
  id: "denied-consent-ends",
  title: "Stops when a person declines: no exchange, no redirect loop",
  clauses: ["D9.3", "D9.5"],
  whatToDo:
    "At your redirect_uri, check for error before code. After access_denied, show a page that offers to try again, and don't redirect automatically.",
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

/**
 * Refused exchanges without a code, or with one that the record doesn't know, right after a denial; each is listed once.
 */
function exchangesAfter(denials: readonly VisitEvent[], history: History): CallEvent[] {
  const idle = new UnclaimedCalls(
    history.calls.filter(
      (call) => isExchange(call) && !isSuccess(call.status) && !findAuthorized(call.facts.code, history),
    ),
  );
  return denials.flatMap((denial) => idle.claimAfter(endOf(denial)));
}

class UnclaimedCalls {
  readonly #calls: readonly CallEvent[];
  // For each index, the next unclaimed one: union-find with path compression.
  readonly #next: Int32Array;

  constructor(calls: readonly CallEvent[]) {
    this.#calls = calls;
    this.#next = Int32Array.from({ length: calls.length + 1 }, (_, index) => index);
  }

  claimAfter(ms: number): CallEvent[] {
    const claimed: CallEvent[] = [];
    for (let index = this.#free(indexFrom(this.#calls, ms)); ; index = this.#free(index)) {
      const call = this.#calls[index];
      if (!call || startOf(call) - ms >= limits.checkFollowUpMs) return claimed;
      claimed.push(call);
      this.#next[index] = index + 1;
    }
  }

  #free(from: number): number {
    let index = from;
    for (;;) {
      const next = this.#next[index] ?? index;
      if (next === index) return index;
      this.#next[index] = this.#next[next] ?? next;
      index = next;
    }
  }
}

/**
 * Visits opened faster after a denial than a person could, at least twice in a row. An automatic redirect follows every denial;
 * a quick person or a script stops after the last one.
 */
function loopsIn(denials: readonly VisitEvent[], { visits }: History): VisitEvent[] {
  const openings = visits.filter(({ step }) => step === "opened");
  const ofPerson = new Map(
    [...Map.groupBy(openings, personOf)].map(([person, group]) => [person, new PersonVisits(group)]),
  );
  // Keyed by each chain's last visit.
  const chains = new Map<string | null, VisitEvent[]>();
  for (const denial of denials) {
    const chain = chains.get(denial.visit_id) ?? [];
    chains.delete(denial.visit_id);
    const reopened = ofPerson.get(personOf(denial))?.firstDifferentVisit(denial);
    if (!reopened) continue;
    chain.push(reopened);
    chains.set(reopened.visit_id, chain);
  }
  return [...chains.values()].filter(({ length }) => length > 1).flat();
}

class PersonVisits {
  readonly #visits: readonly VisitEvent[];
  // For each index, the index of the next different visit.
  readonly #nextOther: Int32Array;

  constructor(visits: readonly VisitEvent[]) {
    this.#visits = visits;
    this.#nextOther = new Int32Array(visits.length);
    for (let index = visits.length - 1; index >= 0; index--) {
      const isSame = visits[index]?.visit_id === visits[index + 1]?.visit_id;
      this.#nextOther[index] = (isSame && this.#nextOther[index + 1]) || index + 1;
    }
  }

  firstDifferentVisit(denial: VisitEvent): VisitEvent | undefined {
    const index = indexFrom(this.#visits, endOf(denial));
    const first = this.#visits[index];
    const next = first?.visit_id === denial.visit_id ? this.#visits[this.#nextOther[index] ?? index] : first;
    return next && startOf(next) - endOf(denial) < limits.checkAtOnceMs ? next : undefined;
  }
}

function personOf({ facts }: VisitEvent): string | null {
  return facts.user_intent_id ?? facts.user_id;
}

export const authorizationRules: readonly Rule[] = [
  statePresent,
  stateUnguessable,
  stateNeverRepeated,
  challengeS256,
  challengeNeverRepeated,
  onePersonNamed,
  visitNamesThePerson,
  sessionTokenPresent,
  sessionTokenPerVisit,
  sessionTokenInTime,
  deniedConsentEnds,
];

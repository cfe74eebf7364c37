import { groupByText } from "../history.ts";
import type { Rule } from "../rule.ts";
import { arrivalsOf } from "../visits.ts";

/** A session token opens one visit. */
export const sessionTokenPerVisit: Rule = {
  id: "session-token-per-visit",
  title: "Mints an identity verification token for each visit",
  clauses: ["I.tokens-and-codes.4", "I.limits.7", "I.post-v1-partner-identity-verification.7"],
  isAdvice: false,
  whatToDo:
    "Call POST /v1/partner/identity/verification each time a person sets out, in the request that redirects them, and keep the token nowhere.",
  judge: (history) => {
    const arrivals = arrivalsOf(history).filter(({ facts }) => facts.session_token !== null);
    const groups = [...groupByText(arrivals, ({ facts }) => facts.session_token).values()];
    return {
      kept: arrivals.filter(({ step }) => step === "opened"),
      // The same address again is a person who reloads it or goes back.
      broken: groups
        .filter((group) => new Set(group.map(({ facts }) => `${facts.state} ${facts.code_challenge}`)).size > 1)
        .flat(),
    };
  },
};

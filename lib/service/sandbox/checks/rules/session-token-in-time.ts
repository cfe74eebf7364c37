import { limits } from "../../../../contract/limits.ts";
import { clientTimeOf, endOf, groupByText, startOf } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";
import { arrivalsOf, findMint } from "../visits.ts";

/** A session token lives a minute, so it is minted when the person sets out and not when a link is drawn. */
export const sessionTokenInTime: Rule = {
  id: "session-token-in-time",
  title: "Uses an identity verification token within its minute",
  clauses: ["I.tokens-and-codes.4", "I.limits.7"],
  isAdvice: false,
  whatToDo:
    "Mint the token in the request that answers the person's click with a redirect. A link that was drawn with a token in it is dead when somebody reads the page first.",
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

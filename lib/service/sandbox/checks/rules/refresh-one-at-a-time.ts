import { limits } from "../../../../contract/limits.ts";
import { endOf, startOf } from "../history.ts";
import type { Rule } from "../rule.ts";

/** Two refreshes at once with one token: nobody gives an answer up so soon, so they do not know of each other. */
export const refreshOneAtATime: Rule = {
  id: "refresh-one-at-a-time",
  title: "Never refreshes twice at once with one refresh token",
  clauses: ["I.authentication.13", "D10.3"],
  isAdvice: false,
  whatToDo:
    "Serialize the refreshes of each user over all your processes, by a lock in your database for example. Whoever gets the lock later reads the stored pair again and uses what the other one brought.",
  judge: ({ refreshesOfToken }) => {
    const groups = [...refreshesOfToken.values()];
    return {
      kept: groups.flat(),
      broken: groups.flatMap((refreshes) =>
        refreshes.flatMap((later, place) => {
          const earlier = refreshes[place - 1];
          const isAtOnce =
            earlier && startOf(later) < endOf(earlier) && startOf(later) - startOf(earlier) < limits.checkAtOnceMs;
          return isAtOnce ? [earlier, later] : [];
        }),
      ),
    };
  },
};

import type { CallEvent } from "../../../../contract/sandbox-events.ts";
import { groupByText, type History } from "../history.ts";
import type { Rule } from "../rule.ts";

/** A key stands for one payment. */
export const routineKeyNew: Rule = {
  id: "routine-key-new",
  title: "Makes a new idempotency key for each routine",
  clauses: ["I.limits.9", "D13.8"],
  isAdvice: false,
  whatToDo:
    "Make the key anew for each payment, and do not derive it from the user, the day or the amount. A key that meets another body is refused, and with it a payment that somebody wanted.",
  judge: (history) => {
    const keyed = history.calls.filter(
      ({ operation, facts }) =>
        operation === "createBookRoutine" && facts.idempotency_key !== null && facts.body !== null,
    );
    const groups = [
      ...groupByText(keyed, (call) => `${ownerOf(call, history)} ${call.facts.idempotency_key}`).values(),
    ];
    return {
      kept: keyed,
      broken: groups.filter((group) => new Set(group.map(({ facts }) => facts.body)).size > 1).flat(),
    };
  },
};

// The token changes between a call and its repeat, the user does not.
function ownerOf({ facts }: CallEvent, { pairOfAccessToken }: History): string {
  return pairOfAccessToken.get(facts.access_token ?? "")?.owner ?? "";
}

import type { VisitEvent } from "../../../../contract/sandbox-events.ts";
import { groupByText } from "../history.ts";
import type { Rule } from "../rule.ts";

/** A state that comes twice belongs to nobody's session in particular. */
export const stateNeverRepeated: Rule = {
  id: "state-never-repeated",
  title: "Never sends one state twice",
  clauses: ["D9.1"],
  isAdvice: false,
  whatToDo:
    "Make a new state each time a person leaves for the authorization pages. A constant, or the user's id, does not tell one way there from another.",
  judge: ({ visits }) => {
    const opened = visits.filter(({ step, facts }) => step === "opened" && facts.state !== null);
    const groups = [...groupByText(opened, ({ facts }) => facts.state).values()];
    return {
      kept: opened,
      // The same address again is a person who reloads it.
      broken: groups.filter((group) => new Set(group.map(addressOf)).size > 1).flat(),
    };
  },
};

function addressOf({ facts }: VisitEvent): string {
  const { session_token, code_challenge, user_intent_id, user_id, redirect_uri } = facts;
  return JSON.stringify([session_token, code_challenge, user_intent_id, user_id, redirect_uri]);
}

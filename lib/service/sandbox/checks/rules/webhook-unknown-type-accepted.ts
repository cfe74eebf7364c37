import { isSuccess, isTemporary } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** Types are added over time, and a receiver that refuses them makes them come again for days. */
export const webhookUnknownTypeAccepted: Rule = {
  id: "webhook-unknown-type-accepted",
  title: "Takes a genuine webhook of a type that it does not know",
  clauses: ["I.events.1", "D14.3", "D21.4"],
  isAdvice: false,
  whatToDo:
    "Answer with success to every webhook whose signature is right, and do nothing for a type that is new to you.",
  judge: ({ deliveries }) =>
    judgeEach(
      deliveries.filter(({ facts }) => facts.fault === "unknown_type"),
      ({ status }) => {
        if (isSuccess(status)) return "kept";
        return status === null || isTemporary(status) || status === 410 ? undefined : "broken";
      },
    ),
};

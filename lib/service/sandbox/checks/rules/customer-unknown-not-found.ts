import { isTemporary } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** A customer who is nobody's is not there. */
export const customerUnknownNotFound: Rule = {
  id: "customer-unknown-not-found",
  title: "Answers 404 about a customer whom it does not know",
  clauses: ["I.get-v1-customers-{customer-id}.1", "D21.4"],
  isAdvice: false,
  whatToDo: "Answer 404 for an id that is none of yours, whatever it looks like, and never with an empty record.",
  judge: ({ customers }) =>
    judgeEach(
      customers.filter(({ facts }) => facts.probe === "unknown_customer"),
      ({ status }) => {
        if (status === null || isTemporary(status)) return undefined;
        return status === 404 || status === 410 ? "kept" : "broken";
      },
    ),
};

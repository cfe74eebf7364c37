import { questionsOf } from "../customers.ts";
import { isSuccess, isTemporary } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** The customer endpoint answers about the people whom its client sends. */
export const customerAnswered: Rule = {
  id: "customer-answered",
  title: "Answers at its customer endpoint with success",
  clauses: ["I.get-v1-customers-{customer-id}.1", "I.authentication.10", "D11.2"],
  isAdvice: false,
  whatToDo:
    "Serve GET /v1/customers/{customer_id} for every customer whose id you send to the identity verification, before you send it.",
  judge: (history) => {
    const questions = questionsOf(history);
    const isEverAnswered = questions.some(({ status }) => isSuccess(status));
    return judgeEach(questions, ({ status }) => {
      if (isSuccess(status)) return "kept";
      // A connection that was not made is an outage, unless there never was any other.
      if (status === null) return isEverAnswered ? undefined : "broken";
      return isTemporary(status) ? undefined : "broken";
    });
  },
};

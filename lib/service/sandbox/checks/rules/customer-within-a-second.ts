import { limits } from "../../../../contract/limits.ts";
import { recordsOf } from "../customers.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** A person waits while the service asks. */
export const customerWithinASecond: Rule = {
  id: "customer-within-a-second",
  title: "Answers at its customer endpoint within a second",
  clauses: ["D11.2", "D21.3"],
  isAdvice: false,
  whatToDo: `Answer from your own database alone. A person waits meanwhile, and after ${limits.customerEndpointTimeoutMs / 1000} seconds the verification fails.`,
  judge: (history) => {
    const [first, ...later] = recordsOf(history);
    return judgeEach(first ? [first, ...later] : [], (event) => {
      if ((event.duration_ms ?? 0) < limits.checkAnswerMs) return "kept";
      // A process that has just started may be slow once.
      return event === first ? undefined : "broken";
    });
  },
};

import { limits } from "../../../../contract/limits.ts";
import { genuineOf } from "../deliveries.ts";
import { isSuccess } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** A receiver writes down and answers; the work comes later. */
export const webhookWithinASecond: Rule = {
  id: "webhook-within-a-second",
  title: "Answers webhooks within a second",
  clauses: ["D14.3", "D21.3"],
  isAdvice: false,
  whatToDo: `Write the webhook down and answer; fetch records and do the rest afterwards. After ${limits.webhookTimeoutMs / 1000} seconds the attempt counts as failed and the webhook comes again.`,
  judge: (history) => {
    const taken = genuineOf(history).filter(({ status }) => isSuccess(status));
    return judgeEach(taken, (delivery) => {
      if ((delivery.duration_ms ?? 0) < limits.checkAnswerMs) return "kept";
      // A process that has just started may be slow once.
      return delivery === taken[0] ? undefined : "broken";
    });
  },
};

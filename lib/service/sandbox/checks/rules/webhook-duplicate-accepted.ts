import { copiesOf } from "../deliveries.ts";
import { isSuccess, isTemporary } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** Webhooks arrive at least once, so some arrive again. */
export const webhookDuplicateAccepted: Rule = {
  id: "webhook-duplicate-accepted",
  title: "Takes a webhook that arrives again, with success",
  clauses: ["D14.3", "I.webhook-payload.2"],
  isAdvice: false,
  whatToDo:
    "Remember the webhook_id of what you have taken. Answer a copy with success and do nothing more; an error only makes it come again.",
  judge: (history) =>
    judgeEach(copiesOf(history), ({ status }) => {
      if (isSuccess(status)) return "kept";
      return status === null || isTemporary(status) || status === 410 ? undefined : "broken";
    }),
};

import { firstCopiesOf, lastTakenMsOf } from "../deliveries.ts";
import { isSuccess, isTemporary, startOf } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** Every genuine webhook is taken, by some attempt. */
export const webhookAccepted: Rule = {
  id: "webhook-accepted",
  title: "Takes every genuine webhook",
  clauses: ["I.events.1", "D14.2", "D14.3"],
  isAdvice: false,
  whatToDo:
    "Verify the signature over the raw bytes of the body, with the secret of this endpoint, write the webhook down, and answer with success before you work on it.",
  judge: (history) => {
    const lastTakenMs = lastTakenMsOf(history);
    return judgeEach(firstCopiesOf(history), (delivery) => {
      if (isSuccess(delivery.status)) return "kept";
      const isUnknown = delivery.status === null || isTemporary(delivery.status);
      const takenMs = lastTakenMs.get(delivery.webhook_id) ?? Number.NEGATIVE_INFINITY;
      // 410 asks the service to stop.
      if (isUnknown || delivery.status === 410 || takenMs >= startOf(delivery)) return undefined;
      return "broken";
    });
  },
};

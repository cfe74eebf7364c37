import { firstCopiesOf, isTakenLater } from "../deliveries.ts";
import { isSuccess, isTemporary } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** Every genuine webhook is taken, by some attempt. */
export const webhookAccepted: Rule = {
  id: "webhook-accepted",
  title: "Takes every genuine webhook",
  clauses: ["I.events.1", "D14.2", "D14.3"],
  isAdvice: false,
  whatToDo:
    "Verify the signature over the raw bytes of the body, with the secret of this endpoint, write the webhook down, and answer with success before you work on it.",
  judge: (history) =>
    judgeEach(firstCopiesOf(history), (delivery) => {
      if (isSuccess(delivery.status)) return "kept";
      const isUnknown = delivery.status === null || isTemporary(delivery.status);
      // 410 asks the service to stop.
      if (isUnknown || delivery.status === 410 || isTakenLater(delivery, history)) return undefined;
      return "broken";
    }),
};

import { copiesOf } from "../deliveries.ts";
import { isSuccess, isTemporary } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** While a secret is rotated, two are good. */
export const webhookBothSecrets: Rule = {
  id: "webhook-both-secrets",
  title: "Takes webhooks by the old and the new secret while they are rotated",
  clauses: ["D14.2", "D16.7"],
  isAdvice: false,
  whatToDo:
    "Let your receiver hold two secrets, and take a webhook when any of its signatures is right by any of them. Take the old secret away a day after the rotation.",
  judge: (history) => {
    const copies = new Set(copiesOf(history));
    return judgeEach(
      history.deliveries.filter(
        (delivery) =>
          (delivery.facts.signed_with === "both" || delivery.facts.signed_with === "old_only") &&
          delivery.facts.fault === null &&
          !copies.has(delivery),
      ),
      ({ status }) => {
        if (isSuccess(status)) return "kept";
        return status === null || isTemporary(status) || status >= 500 || status === 410 ? undefined : "broken";
      },
    );
  },
};

import type { DeliveryEvent } from "../../../../contract/sandbox-events.ts";
import { copiesOf } from "../deliveries.ts";
import { isSuccess } from "../history.ts";
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
    const refused = new Set(history.deliveries.filter(isRefusedByOneSecret).map(({ webhook_id }) => webhook_id));
    return judgeEach(
      history.deliveries.filter(
        (delivery) =>
          (delivery.facts.signed_with === "both" || delivery.facts.signed_with === "old_only") &&
          delivery.facts.fault === null &&
          // What was refused when one secret alone signed it is refused for another reason.
          !(delivery.facts.attempt > 1 && refused.has(delivery.webhook_id)) &&
          !copies.has(delivery),
      ),
      ({ status }) => {
        if (isSuccess(status)) return "kept";
        return status !== null && refusals.has(status) ? "broken" : undefined;
      },
    );
  },
};

// What a receiver answers to a signature that it does not know.
const refusals = new Set([400, 401, 403]);

function isRefusedByOneSecret({ facts, status }: DeliveryEvent): boolean {
  return facts.signed_with === "current" && facts.fault === null && status !== null && refusals.has(status);
}

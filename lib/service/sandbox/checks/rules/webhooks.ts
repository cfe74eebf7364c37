import { limits } from "../../../../contract/limits.ts";
import type { DeliveryEvent } from "../../../../contract/sandbox-events.ts";
import { copiesOf, firstCopiesOf, genuineOf, lastAcceptedMsOf } from "../deliveries.ts";
import { isSuccess, isTemporary, startOf } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

const webhookAccepted: Rule = {
  id: "webhook-accepted",
  title: "Accepts every genuine webhook",
  clauses: ["I.events.1", "D14.2", "D14.3"],
  isAdvice: false,
  whatToDo:
    "Verify the signature over the raw body with this endpoint's secret, store the webhook, and respond with success before you process it.",
  judge: (history) => {
    const lastAcceptedMs = lastAcceptedMsOf(history);
    return judgeEach(firstCopiesOf(history), (delivery) => {
      if (isSuccess(delivery.status)) return "kept";
      const isUnknown = delivery.status === null || isTemporary(delivery.status);
      const acceptedMs = lastAcceptedMs.get(delivery.webhook_id) ?? Number.NEGATIVE_INFINITY;
      // 410 unsubscribes.
      if (isUnknown || delivery.status === 410 || acceptedMs >= startOf(delivery)) return undefined;
      return "broken";
    });
  },
};

const webhookWithinASecond: Rule = {
  id: "webhook-within-a-second",
  title: "Responds to webhooks within a second",
  clauses: ["D14.3", "D21.3"],
  isAdvice: false,
  whatToDo: `Store the webhook and respond; fetch records and do the work afterwards. After ${limits.webhookTimeoutMs / 1000} seconds the attempt counts as failed and is retried.`,
  judge: (history) => {
    const accepted = genuineOf(history).filter(({ status }) => isSuccess(status));
    return judgeEach(accepted, (delivery) => {
      if ((delivery.duration_ms ?? 0) < limits.checkAnswerMs) return "kept";
      // Allow for a cold start.
      return delivery === accepted[0] ? undefined : "broken";
    });
  },
};

const webhookDuplicateAccepted: Rule = {
  id: "webhook-duplicate-accepted",
  title: "Accepts a duplicate webhook",
  clauses: ["D14.3", "I.webhook-payload.2"],
  isAdvice: false,
  whatToDo:
    "Remember the webhook_id of each webhook you accept. Respond to a duplicate with success and do nothing; an error only triggers another retry.",
  judge: (history) =>
    judgeEach(copiesOf(history), ({ status }) => {
      if (isSuccess(status)) return "kept";
      return status === null || isTemporary(status) || status === 410 ? undefined : "broken";
    }),
};

const webhookTamperedRefused: Rule = {
  id: "webhook-tampered-refused",
  title: "Rejects a webhook that was tampered with",
  clauses: ["D14.2"],
  isAdvice: false,
  whatToDo:
    "Verify the signature of each webhook over the raw body, in constant time, before you parse it. The standardwebhooks package does this.",
  judge: ({ deliveries }) =>
    judgeEach(
      deliveries.filter(({ facts }) => facts.fault === "tamper"),
      ({ status }) => {
        if (isSuccess(status)) return "broken";
        return status !== null && status < 500 && !isTemporary(status) ? "kept" : undefined;
      },
    ),
};

const webhookStaleRefused: Rule = {
  id: "webhook-stale-refused",
  title: "Rejects a webhook with an old timestamp",
  clauses: ["D14.2"],
  isAdvice: false,
  whatToDo: `Reject a webhook whose webhook-timestamp is more than ${limits.webhookToleranceSeconds / 60} minutes off your clock. The standardwebhooks package does this.`,
  judge: ({ deliveries }) =>
    judgeEach(
      deliveries.filter(({ facts }) => facts.fault === "stale"),
      ({ status }) => {
        if (isSuccess(status)) return "broken";
        return status !== null && status < 500 && !isTemporary(status) ? "kept" : undefined;
      },
    ),
};

const webhookUnknownTypeAccepted: Rule = {
  id: "webhook-unknown-type-accepted",
  title: "Accepts a genuine webhook of an unknown type",
  clauses: ["I.events.1", "D14.3", "D21.4"],
  isAdvice: false,
  whatToDo: "Respond with success to every webhook that has a valid signature, and ignore types you don't know.",
  judge: ({ deliveries }) =>
    judgeEach(
      deliveries.filter(({ facts }) => facts.fault === "unknown_type"),
      ({ status }) => {
        if (isSuccess(status)) return "kept";
        return status === null || isTemporary(status) || status === 410 ? undefined : "broken";
      },
    ),
};

const webhookBothSecrets: Rule = {
  id: "webhook-both-secrets",
  title: "Accepts either secret during a rotation",
  clauses: ["D14.2", "D16.7"],
  isAdvice: false,
  whatToDo:
    "Let your receiver hold two secrets, and accept a webhook if any signature matches either one. Remove the old secret a day after the rotation.",
  judge: (history) => {
    const copies = new Set(copiesOf(history));
    const refused = new Set(history.deliveries.filter(isRejectedWithOneSecret).map(({ webhook_id }) => webhook_id));
    return judgeEach(
      history.deliveries.filter(
        (delivery) =>
          (delivery.facts.signed_with === "both" || delivery.facts.signed_with === "old_only") &&
          delivery.facts.fault === null &&
          // Rejected with a single signature too: the rotation isn't the reason.
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

const refusals = new Set([400, 401, 403]);

function isRejectedWithOneSecret({ facts, status }: DeliveryEvent): boolean {
  return facts.signed_with === "current" && facts.fault === null && status !== null && refusals.has(status);
}

export const webhookRules: readonly Rule[] = [
  webhookAccepted,
  webhookWithinASecond,
  webhookDuplicateAccepted,
  webhookTamperedRefused,
  webhookStaleRefused,
  webhookUnknownTypeAccepted,
  webhookBothSecrets,
];

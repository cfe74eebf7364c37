import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, DeliveryEvent } from "../../../../contract/sandbox-events.ts";
import { copiesOf, firstCopiesOf, genuineOf, isSignatureRefused, lastAcceptedMsOf } from "../deliveries.ts";
import { endOf, groupByText, isSuccess, isTemporary, startOf } from "../history.ts";
import { judgeEach, judgePace, mergeFindings, type Rule } from "../rule.ts";
import { indexFrom } from "../search.ts";

const webhookAccepted: Rule = {
  id: "webhook-accepted",
  title: "Accepts every genuine webhook",
  clauses: ["I.events.1", "D14.2", "D14.3"],
  whatToDo:
    "Verify the signature over the raw body with this endpoint's secret, store the webhook, and respond with success before you process it.",
  judge: (history) => {
    const lastAcceptedMs = lastAcceptedMsOf(history);
    return judgeEach(firstCopiesOf(history), (delivery) => {
      // webhook-both-secrets covers this.
      if (delivery.facts.signed_with !== "current" && isSignatureRefused(delivery)) return undefined;
      const acceptedMs = lastAcceptedMs.get(delivery.webhook_id) ?? Number.NEGATIVE_INFINITY;
      const verdict = judgeAcceptance(delivery);
      return verdict === "broken" && acceptedMs >= startOf(delivery) ? undefined : verdict;
    });
  },
};

const webhookWithinASecond: Rule = {
  id: "webhook-within-a-second",
  title: "Responds to webhooks within a second",
  clauses: ["D14.3", "D21.3"],
  whatToDo: `Store the webhook and respond; fetch records and do the work afterwards. After ${limits.webhookTimeoutMs / 1000} seconds the attempt counts as failed and is retried.`,
  judge: (history) => {
    const genuine = genuineOf(history);
    // A receiver that was down times out too, so timeouts count only if it never answered.
    const isEverAnswered = genuine.some(({ status }) => status !== null);
    return judgePace(genuine.filter(isEverAnswered ? ({ status }) => isSuccess(status) : isOwnTimeout));
  },
};

const webhookDuplicateAccepted: Rule = {
  id: "webhook-duplicate-accepted",
  title: "Accepts a duplicate webhook",
  clauses: ["D14.3", "I.webhook-payload.2"],
  whatToDo:
    "Remember the webhook_id of each webhook you accept. Respond to a duplicate with success and do nothing; an error only triggers another retry.",
  judge: (history) => judgeEach(copiesOf(history), judgeAcceptance),
};

const onePaymentPerWebhook: Rule = {
  id: "one-payment-per-webhook",
  title: "Pays once for a webhook that arrives twice",
  clauses: ["D14.3", "I.webhook-payload.2", "D21.4"],
  whatToDo:
    "Store each webhook_id under a unique constraint, in the transaction that takes up its work; a duplicate then finds it there. Derive the idempotency key of a payment that a webhook triggers from the webhook_id.",
  judge: ({ calls, deliveries }) => {
    const paid = calls.filter(({ operation, status }) => operation === "createBookRoutine" && isSuccess(status));
    const accepted = deliveries.filter(({ status, facts }) => isSuccess(status) && isGenuineCopy(facts));
    const duplicated = [...groupByText(accepted, ({ webhook_id }) => webhook_id).values()].filter((copies) =>
      copies.some(({ facts }) => facts.fault === "duplicate"),
    );
    return mergeFindings(
      duplicated.map((copies) => {
        const [first] = copies;
        const from = first ? indexFrom(paid, startOf(first)) : paid.length;
        const until = first ? indexFrom(paid, startOf(first) + limits.checkOverlapMs) : paid.length;
        const twins = twinsAmong(paid.slice(from, Math.min(until, from + limits.checkEvidenceMax)));
        return twins.length > 0 ? { broken: [...copies, ...twins] } : { kept: copies };
      }),
    );
  },
};

function isGenuineCopy({ fault }: DeliveryEvent["facts"]): boolean {
  return fault === null || fault === "duplicate";
}

/**
 * Equal payments not sharing a key, the second sent at once and before the first was answered: no person or script does
 * that. A later one may be a retry after a timeout, which routine-key-on-retry covers.
 */
function twinsAmong(paid: readonly CallEvent[]): CallEvent[] {
  const groups = [...groupByText(paid, ({ facts }) => facts.body).values()];
  return groups.flatMap((group) =>
    group.flatMap((later, index) => {
      const earlier = group[index - 1];
      const isTwin =
        earlier &&
        startOf(later) < Math.min(endOf(earlier), startOf(earlier) + limits.checkAtOnceMs) &&
        (later.facts.idempotency_key === null || later.facts.idempotency_key !== earlier.facts.idempotency_key);
      return isTwin ? [earlier, later] : [];
    }),
  );
}

const webhookTamperedRefused: Rule = {
  id: "webhook-tampered-refused",
  title: "Rejects a webhook that was tampered with",
  clauses: ["D14.2"],
  whatToDo:
    "Verify the signature of each webhook over the raw body, in constant time, before you parse it. The standardwebhooks package does this.",
  judge: ({ deliveries }) =>
    judgeEach(
      deliveries.filter(({ facts }) => facts.fault === "tamper"),
      judgeRejection,
    ),
};

const webhookVerifiedFirst: Rule = {
  id: "webhook-verified-first",
  title: "Reads nothing for a webhook that was tampered with",
  clauses: ["D14.2"],
  whatToDo:
    "Verify the signature before you do anything else with a webhook. Otherwise anyone who knows your address can make your app call the service.",
  judge: ({ calls, deliveries }) => {
    const callsOfRecord = groupByText(calls, ({ facts }) => facts.resource_id);
    return mergeFindings(
      deliveries
        .filter(({ facts, status }) => facts.fault === "tamper" && status !== null && !isSuccess(status))
        .map((delivery) => {
          // A tampered webhook names a record that doesn't exist.
          const [read] = callsOfRecord.get(delivery.resource_id) ?? [];
          return read ? { broken: [delivery, read] } : { kept: [delivery] };
        }),
    );
  },
};

const webhookRawBody: Rule = {
  id: "webhook-raw-body",
  title: "Verifies the signature over the body as it was sent",
  clauses: ["D14.2"],
  whatToDo:
    "Verify the bytes of the request's body before your framework parses them. Serializing the parsed JSON again may give other bytes, and the signature of a genuine webhook no longer matches.",
  judge: ({ deliveries }) =>
    judgeEach(
      deliveries.filter(({ facts }) => facts.fault === "reformatted"),
      judgeSignatureCheck,
    ),
};

const webhookStaleRefused: Rule = {
  id: "webhook-stale-refused",
  title: "Rejects a webhook with an old timestamp",
  clauses: ["D14.2"],
  whatToDo: `Reject a webhook whose webhook-timestamp is more than ${limits.webhookToleranceSeconds / 60} minutes off your clock. The standardwebhooks package does this.`,
  judge: ({ deliveries }) =>
    judgeEach(
      deliveries.filter(({ facts }) => facts.fault === "stale"),
      judgeRejection,
    ),
};

const webhookUnknownTypeAccepted: Rule = {
  id: "webhook-unknown-type-accepted",
  title: "Accepts a genuine webhook of an unknown type",
  clauses: ["I.events.1", "D14.3", "D21.4"],
  whatToDo: "Respond with success to every webhook that has a valid signature, and ignore types you don't know.",
  judge: ({ deliveries }) =>
    judgeEach(
      deliveries.filter(({ facts }) => facts.fault === "unknown_type"),
      judgeAcceptance,
    ),
};

const webhookBothSecrets: Rule = {
  id: "webhook-both-secrets",
  title: "Accepts either secret during a rotation",
  clauses: ["D14.2", "D16.7"],
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
      judgeSignatureCheck,
    );
  },
};

function isRejectedWithOneSecret(delivery: DeliveryEvent): boolean {
  return delivery.facts.signed_with === "current" && delivery.facts.fault === null && isSignatureRefused(delivery);
}

// A missing or temporary response shows nothing, and 410 unsubscribes.
function judgeAcceptance({ status }: DeliveryEvent) {
  if (isSuccess(status)) return "kept";
  return status === null || isTemporary(status) || status === 410 ? undefined : "broken";
}

// `duration_ms` excludes our own pauses, so a shorter timeout is ours.
function isOwnTimeout({ facts, duration_ms }: DeliveryEvent): boolean {
  return facts.error === "timeout" && (duration_ms ?? 0) >= limits.checkAnswerMs;
}

function judgeRejection({ status }: DeliveryEvent) {
  if (isSuccess(status)) return "broken";
  return status !== null && status < 500 && !isTemporary(status) ? "kept" : undefined;
}

function judgeSignatureCheck(delivery: DeliveryEvent) {
  if (isSuccess(delivery.status)) return "kept";
  return isSignatureRefused(delivery) ? "broken" : undefined;
}

export const webhookRules: readonly Rule[] = [
  webhookAccepted,
  webhookWithinASecond,
  webhookDuplicateAccepted,
  onePaymentPerWebhook,
  webhookTamperedRefused,
  webhookVerifiedFirst,
  webhookRawBody,
  webhookStaleRefused,
  webhookUnknownTypeAccepted,
  webhookBothSecrets,
];

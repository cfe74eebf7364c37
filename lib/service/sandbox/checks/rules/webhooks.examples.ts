import type { Examples } from "../testing/example-events.ts";

const surprise = { fault: "unknown_type" } as const;

const both = { signed_with: "both", signatures: 2 } as const;

export const examples: Record<string, Examples> = {
  "webhook-accepted": {
    kept: {
      "200": (record) => {
        record.deliver();
      },
      "204": (record) => {
        record.deliver({ status: 204 });
      },
    },
    broken: {
      "401 for a valid signature": (record) => {
        record.deliver({ status: 401 });
      },
      "500 on every attempt": (record) => {
        record.deliver({ webhook_id: "w", status: 500 });
        record.deliver({ webhook_id: "w", status: 500, facts: { attempt: 2 } });
      },
      "302 to a page": (record) => {
        record.deliver({ status: 302 });
      },
    },
    notSeen: {
      "no webhook": (record) => {
        record.connect();
      },
      "the receiver isn't up yet": (record) => {
        record.deliver({ status: null, facts: { error: "refused" } });
      },
    },
    nearMisses: {
      "500, then success on retry": (record) => {
        record.deliver({ webhook_id: "w", status: 500 });
        record.deliver({ webhook_id: "w", facts: { attempt: 2 } });
      },
      "a rejected tampered webhook": (record) => {
        record.deliver({ status: 401, facts: { fault: "tamper" } });
      },
      "a webhook dropped by a fault": (record) => {
        record.deliver({ status: null, facts: { fault: "drop", error: "dropped_on_purpose" } });
      },
      "410, which unsubscribes": (record) => {
        record.deliver({ status: 410 });
      },
    },
  },
  "webhook-within-a-second": {
    kept: {
      fast: (record) => {
        record.deliver({ duration_ms: 15 });
      },
    },
    broken: {
      "work before the response": (record) => {
        record.deliver({ duration_ms: 15 });
        record.deliver({ duration_ms: 1500 });
      },
    },
    notSeen: {
      "no webhook": (record) => {
        record.connect();
      },
    },
    nearMisses: {
      "a cold start": (record) => {
        record.deliver({ duration_ms: 3000 });
        record.deliver({ duration_ms: 15 });
      },
      "the receiver is down": (record) => {
        record.deliver();
        record.deliver({ status: null, duration_ms: 10_000 });
      },
    },
  },
  "webhook-duplicate-accepted": {
    kept: {
      "two copies at once": (record) => {
        record.deliver({ webhook_id: "w" });
        record.deliver({ webhook_id: "w", facts: { fault: "duplicate" } });
      },
      redelivered: (record) => {
        record.deliver({ webhook_id: "w" });
        record.deliver({ webhook_id: "w", facts: { attempt: 2 } });
      },
    },
    broken: {
      "409 for the copy": (record) => {
        record.deliver({ webhook_id: "w" });
        record.deliver({ webhook_id: "w", status: 409, facts: { fault: "duplicate" } });
      },
      "500 for a redelivery": (record) => {
        record.deliver({ webhook_id: "w" });
        record.deliver({ webhook_id: "w", status: 500, facts: { attempt: 2 } });
      },
    },
    notSeen: {
      "no duplicates": (record) => {
        record.deliver();
        record.deliver();
      },
    },
    nearMisses: {
      "the first attempt failed": (record) => {
        record.deliver({ webhook_id: "w", status: 500 });
        record.deliver({ webhook_id: "w", status: 500, facts: { attempt: 2 } });
      },
      "503 while processing the first copy": (record) => {
        record.deliver({ webhook_id: "w" });
        record.deliver({ webhook_id: "w", status: 503, facts: { fault: "duplicate" } });
      },
      "a rejected stale copy": (record) => {
        record.deliver({ webhook_id: "w" });
        record.deliver({ webhook_id: "w", status: 401, facts: { fault: "stale" } });
      },
    },
  },
  "webhook-tampered-refused": {
    kept: {
      "401": (record) => {
        record.deliver({ status: 401, facts: { fault: "tamper" } });
      },
      "400": (record) => {
        record.deliver({ status: 400, facts: { fault: "tamper" } });
      },
    },
    broken: {
      accepted: (record) => {
        record.deliver({ status: 401, facts: { fault: "tamper" } });
        record.deliver({ status: 200, facts: { fault: "tamper" } });
      },
    },
    notSeen: {
      "only genuine webhooks": (record) => {
        record.deliver();
      },
      "no answer": (record) => {
        record.deliver({ status: null, facts: { fault: "tamper" } });
      },
    },
    nearMisses: {
      "the genuine retry is accepted": (record) => {
        record.deliver({ webhook_id: "w", status: 401, facts: { fault: "tamper" } });
        record.deliver({ webhook_id: "w", facts: { attempt: 2 } });
      },
      "500, which accepts nothing": (record) => {
        record.deliver({ status: 500, facts: { fault: "tamper" } });
      },
    },
  },
  "webhook-stale-refused": {
    kept: {
      "401": (record) => {
        record.deliver({ status: 401, facts: { fault: "stale" } });
      },
      "400": (record) => {
        record.deliver({ status: 400, facts: { fault: "stale" } });
      },
    },
    broken: {
      accepted: (record) => {
        record.deliver({ status: 401, facts: { fault: "stale" } });
        record.deliver({ status: 200, facts: { fault: "stale" } });
      },
    },
    notSeen: {
      "only genuine webhooks": (record) => {
        record.deliver();
      },
      "no answer": (record) => {
        record.deliver({ status: null, facts: { fault: "stale" } });
      },
    },
    nearMisses: {
      "the genuine retry is accepted": (record) => {
        record.deliver({ webhook_id: "w", status: 401, facts: { fault: "stale" } });
        record.deliver({ webhook_id: "w", facts: { attempt: 2 } });
      },
      "500, which accepts nothing": (record) => {
        record.deliver({ status: 500, facts: { fault: "stale" } });
      },
    },
  },
  "webhook-unknown-type-accepted": {
    kept: {
      "200": (record) => {
        record.deliver({ webhook_type: "sandbox_surprise", facts: surprise });
      },
    },
    broken: {
      "400": (record) => {
        record.deliver({ webhook_type: "sandbox_surprise", status: 400, facts: surprise });
      },
      "500": (record) => {
        record.deliver({ webhook_type: "sandbox_surprise", status: 500, facts: surprise });
      },
    },
    notSeen: {
      "only known types": (record) => {
        record.deliver();
      },
    },
    nearMisses: {
      "no answer": (record) => {
        record.deliver({ webhook_type: "sandbox_surprise", status: null, facts: surprise });
      },
    },
  },
  "webhook-both-secrets": {
    kept: {
      "two signatures": (record) => {
        record.deliver({ facts: both });
      },
      "only the old secret's signature": (record) => {
        record.deliver({ facts: { signed_with: "old_only" } });
      },
    },
    broken: {
      "only the first signature is checked": (record) => {
        record.deliver({ status: 401, facts: both });
      },
      "the old secret was dropped": (record) => {
        record.deliver({ facts: both });
        record.deliver({ status: 401, facts: { signed_with: "old_only" } });
      },
    },
    notSeen: {
      "no rotation": (record) => {
        record.deliver();
      },
    },
    nearMisses: {
      "a rejected tampered webhook": (record) => {
        record.deliver({ status: 401, facts: { ...both, fault: "tamper" } });
      },
      "a webhook rejected before the rotation": (record) => {
        record.deliver({ webhook_id: "w", status: 400 });
        record.deliver({ webhook_id: "w", status: 400, facts: { ...both, attempt: 2 } });
      },
      "404": (record) => {
        record.deliver({ status: 404, facts: both });
      },
      "503": (record) => {
        record.deliver({ status: 503, facts: both });
      },
    },
  },
};

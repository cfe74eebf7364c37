import type { Examples, Recorder } from "../example-events.ts";

const surprise = { fault: "unknown_type" } as const;

const both = { signed_with: "both", signatures: 2 } as const;

const timedOut = { status: null, duration_ms: 10_000, facts: { error: "timeout" } };

export const examples: Record<string, Examples> = {
  "webhook-accepted": {
    kept: {
      "200": (record) => {
        record.deliver();
      },
      "204": (record) => {
        record.deliver({ status: 204 });
      },
      "200 while the secret rotates": (record) => {
        record.deliver({ facts: both });
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
      "404 while the secret rotates": (record) => {
        record.deliver({ status: 404, facts: both });
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
      "401 for two signatures, which another rule covers": (record) => {
        record.deliver({ status: 401, facts: both });
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
        record.deliver({ duration_ms: 1500 });
      },
      "every attempt times out": (record) => {
        record.deliver(timedOut);
        record.deliver(timedOut);
      },
    },
    notSeen: {
      "no webhook": (record) => {
        record.connect();
      },
      "timeouts of a service that paused": (record) => {
        for (let attempt = 1; attempt <= 3; attempt++) record.deliver({ ...timedOut, duration_ms: 20 });
      },
    },
    nearMisses: {
      "a cold start": (record) => {
        record.deliver({ duration_ms: 3000 });
        record.deliver({ duration_ms: 15 });
      },
      "two pauses with a quick response in between": (record) => {
        record.deliver({ duration_ms: 1500 });
        record.deliver({ duration_ms: 15 });
        record.deliver({ duration_ms: 1500 });
      },
      "the receiver is down": (record) => {
        record.deliver();
        for (let attempt = 1; attempt <= 3; attempt++) record.deliver(timedOut);
      },
      "a receiver that can't be reached": (record) => {
        for (let attempt = 1; attempt <= 3; attempt++) {
          record.deliver({ status: null, duration_ms: 5000, facts: { error: "und_err_connect_timeout" } });
        }
      },
      "a receiver that answers only with errors, then times out": (record) => {
        record.deliver({ status: 500 });
        for (let attempt = 1; attempt <= 3; attempt++) record.deliver(timedOut);
      },
    },
  },
  "webhook-duplicate-accepted": {
    kept: {
      "a copy of one in other bytes": (record) => {
        record.deliver({ webhook_id: "w", facts: { fault: "reformatted" } });
        record.deliver({ webhook_id: "w", facts: { attempt: 2 } });
      },
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
  "one-payment-per-webhook": {
    kept: {
      "both copies are accepted": (record) => {
        deliverTwice(record);
      },
      "one payment follows": (record) => {
        const pair = record.connect();
        deliverTwice(record);
        record.pay(pair);
      },
    },
    broken: {
      "two equal payments follow": (record) => {
        const pair = record.connect();
        deliverTwice(record);
        record.pay(pair, { body: "bonus" }, { isAside: true });
        record.pay(pair, { body: "bonus" });
      },
      "without keys": (record) => {
        const pair = record.connect();
        deliverTwice(record);
        record.pay(pair, { body: "bonus", idempotency_key: null }, { isAside: true });
        record.pay(pair, { body: "bonus", idempotency_key: null });
      },
    },
    notSeen: {
      "arrived once": (record) => {
        const pair = record.connect();
        record.deliver();
        record.pay(pair, { body: "bonus" }, { isAside: true });
        record.pay(pair, { body: "bonus" });
      },
    },
    nearMisses: {
      "the same key": (record) => {
        const pair = record.connect();
        deliverTwice(record);
        for (const isAside of [true, false]) {
          record.pay(pair, { body: "bonus", idempotency_key: "of the webhook" }, { isAside });
        }
      },
      "different payments": (record) => {
        const pair = record.connect();
        deliverTwice(record);
        record.pay(pair, {}, { isAside: true });
        record.pay(pair);
      },
      "the same again, after the answer": (record) => {
        const pair = record.connect();
        deliverTwice(record);
        record.pay(pair, { body: "bonus" });
        record.pay(pair, { body: "bonus" });
      },
      "a retry after a timeout": (record) => {
        const pair = record.connect();
        deliverTwice(record);
        record.pay(pair, { body: "bonus" }, { isAside: true, took: 1500 });
        record.wait(1200);
        record.pay(pair, { body: "bonus" });
      },
      "equal payments before": (record) => {
        const pair = record.connect();
        record.pay(pair, { body: "bonus" }, { isAside: true });
        record.pay(pair, { body: "bonus" });
        deliverTwice(record);
      },
      "the second is refused": (record) => {
        const pair = record.connect();
        deliverTwice(record);
        record.pay(pair, { body: "bonus" }, { isAside: true });
        record.pay(pair, { body: "bonus" }, { status: 422, reason: "insufficient_funds" });
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
  "webhook-verified-first": {
    kept: {
      "nothing is read": (record) => {
        record.deliver({ status: 401, facts: { fault: "tamper", signed_with: "none" } });
      },
    },
    broken: {
      "a read of what it names": (record) => {
        const pair = record.connect();
        record.deliver({ status: 401, resource_id: "nothing", facts: { fault: "tamper", signed_with: "none" } });
        record.read(pair, { operation: "getRoutine", resource: "nothing", status: 404, reason: "not_found" });
      },
    },
    notSeen: {
      "no tampered webhook": (record) => {
        record.deliver();
      },
    },
    nearMisses: {
      "a read after it was accepted, which another rule covers": (record) => {
        const pair = record.connect();
        record.deliver({ resource_id: "nothing", facts: { fault: "tamper", signed_with: "none" } });
        record.read(pair, { operation: "getRoutine", resource: "nothing", status: 404, reason: "not_found" });
      },
      "a read of the real record": (record) => {
        const pair = record.connect();
        record.deliver({ status: 401, resource_id: "nothing", facts: { fault: "tamper", signed_with: "none" } });
        record.read(pair, { operation: "getRoutine", resource: "r1" });
      },
    },
  },
  "webhook-raw-body": {
    kept: {
      "other bytes with a valid signature": (record) => {
        record.deliver({ facts: { fault: "reformatted" } });
      },
    },
    broken: {
      "401 for them": (record) => {
        record.deliver({ status: 401, facts: { fault: "reformatted" } });
      },
    },
    notSeen: {
      "a webhook as always": (record) => {
        record.deliver();
      },
    },
    nearMisses: {
      "503": (record) => {
        record.deliver({ status: 503, facts: { fault: "reformatted" } });
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

function deliverTwice(record: Recorder): void {
  const webhook_id = record.name("webhook");
  record.deliver({ webhook_id });
  record.deliver({ webhook_id, facts: { fault: "duplicate" } });
}

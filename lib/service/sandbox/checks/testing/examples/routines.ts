import type { Examples } from "../example-events.ts";

const slow = { is_faulted: true, body: "b" };
const cutAfter = { is_faulted: true, cut: "after", body: "b" } as const;
const cutBefore = { is_faulted: true, cut: "before", body: null, resource_id: null } as const;

export const examples: Record<string, Examples> = {
  "routine-key-present": {
    kept: {
      present: (record) => {
        record.pay(record.connect());
      },
    },
    broken: {
      missing: (record) => {
        record.pay(record.connect(), { idempotency_key: null });
      },
      "not a UUID": (record) => {
        record.pay(record.connect(), {}, { status: 400, reason: "invalid_idempotency_key" });
      },
    },
    notSeen: {
      "no payment": (record) => {
        record.connect();
      },
    },
    nearMisses: {
      "an intent without a key": (record) => {
        record.call("createUserIntent", { authorization: "basic" }, { status: 201 });
      },
    },
  },
  "routine-key-new": {
    kept: {
      "a key per payment": (record) => {
        const pair = record.connect();
        record.pay(pair);
        record.pay(pair);
      },
    },
    broken: {
      "one key for two payments": (record) => {
        const pair = record.connect();
        record.pay(pair, { idempotency_key: "k" });
        record.pay(pair, { idempotency_key: "k" }, { status: 422, reason: "idempotency_key_reused" });
      },
      "one key for two payments, the first before the record": (record) => {
        record.pay(
          record.connect(),
          { idempotency_key: "k", resource_id: null },
          { status: 422, reason: "idempotency_key_reused" },
        );
      },
      "one key for two payments, days apart": (record) => {
        const pair = record.connect();
        record.pay(pair, { idempotency_key: "k" });
        record.jump(4 * 86_400);
        record.pay(record.refresh(pair), { idempotency_key: "k" });
      },
    },
    notSeen: {
      "no payment": (record) => {
        record.connect();
      },
      "no key": (record) => {
        record.pay(record.connect(), { idempotency_key: null });
      },
    },
    nearMisses: {
      "the same payment again after a refresh": (record) => {
        const pair = record.connect();
        record.pay(pair, { idempotency_key: "k", body: "b" }, { status: 401, reason: "token_expired" });
        record.pay(record.refresh(pair), { idempotency_key: "k", body: "b" });
      },
      "a corrected payment after a refusal": (record) => {
        const pair = record.connect();
        const facts = { idempotency_key: "k", resource_id: null };
        record.pay(pair, facts, { status: 422, reason: "insufficient_funds" });
        record.pay(pair, facts, { status: 400, reason: "validation_failed" });
        record.pay(pair, { idempotency_key: "k" });
      },
      "the same key at two businesses": (record) => {
        record.pay(record.connect("ada"), { idempotency_key: "k" });
        record.pay(record.connect("grace"), { idempotency_key: "k" });
      },
    },
  },
  "routine-key-on-retry": {
    kept: {
      "with the same key": (record) => {
        const pair = record.connect();
        record.pay(pair, { ...slow, idempotency_key: "k" }, { isAside: true, took: 20_000 });
        record.wait(5000);
        record.pay(pair, { body: "b", idempotency_key: "k" });
      },
      "with the same key after a dropped connection": (record) => {
        const pair = record.connect();
        record.pay(pair, { ...cutAfter, idempotency_key: "k" }, { status: null });
        record.wait(2000);
        record.pay(pair, { body: "b", idempotency_key: "k" });
      },
    },
    broken: {
      "with another key after a timeout": (record) => {
        const pair = record.connect();
        record.pay(pair, slow, { isAside: true, took: 20_000 });
        record.wait(5000);
        record.pay(pair, { body: "b" });
      },
      "with another key after a dropped connection": (record) => {
        const pair = record.connect();
        record.pay(pair, cutAfter, { status: null });
        record.wait(2000);
        record.pay(pair, { body: "b" });
      },
      "with another key after a list from before the first was created": (record) => {
        const pair = record.connect();
        record.pay(pair, slow, { isAside: true, took: 20_000 });
        record.wait(12_000);
        record.read(pair, { operation: "listRoutines" });
        record.pay(pair, { body: "b" });
      },
      "with another key after a list that failed": (record) => {
        const pair = record.connect();
        record.pay(pair, cutAfter, { status: null });
        record.wait(2000);
        record.read(pair, { operation: "listRoutines", status: 503 });
        record.pay(pair, { body: "b" });
      },
      "with another key after another user's list": (record) => {
        const [pair, other] = [record.connect("the business"), record.connect("ada")];
        record.pay(pair, cutAfter, { status: null });
        record.wait(2000);
        record.read(other, { operation: "listTransfers" });
        record.pay(pair, { body: "b" });
      },
      "with another key after two dropped connections": (record) => {
        const pair = record.connect();
        record.pay(pair, { ...cutAfter, idempotency_key: "k" }, { status: null });
        record.wait(1000);
        record.pay(pair, { ...cutAfter, idempotency_key: "k" }, { status: null });
        record.wait(2000);
        record.pay(pair, { body: "b" });
      },
    },
    notSeen: {
      "every payment is sent once": (record) => {
        const pair = record.connect();
        record.pay(pair);
        record.pay(pair);
      },
    },
    nearMisses: {
      "an equal payment from before, retried with its own key": (record) => {
        const pair = record.connect();
        record.pay(pair, { body: "b", idempotency_key: "k1", resource_id: null }, { status: 503 });
        record.wait(5000);
        record.pay(pair, { ...cutAfter, idempotency_key: "k2" }, { status: null });
        record.wait(5000);
        record.pay(pair, { body: "b", idempotency_key: "k1" });
      },
      "two identical payments on purpose": (record) => {
        const pair = record.connect();
        record.pay(pair, { body: "b" });
        record.pay(pair, { body: "b" });
      },
      "a new key after 503": (record) => {
        const pair = record.connect();
        record.pay(pair, { body: "b" }, { status: 503, reason: "unavailable" });
        record.pay(pair, { body: "b" });
      },
      "a new key after listing the first payment": (record) => {
        const pair = record.connect();
        record.pay(pair, slow, { isAside: true, took: 20_000 });
        record.wait(19_990);
        record.read(pair, { operation: "listRoutines" });
        record.pay(pair, { body: "b" });
      },
      "a new key after listing the first payment, while its retry is still unanswered": (record) => {
        const pair = record.connect();
        record.pay(pair, { ...slow, idempotency_key: "k" }, { isAside: true, took: 20_000 });
        record.wait(15_000);
        record.pay(pair, { ...slow, idempotency_key: "k" }, { isAside: true, took: 20_000 });
        record.wait(10_000);
        record.read(pair, { operation: "listRoutines" });
        record.pay(pair, { body: "b" });
      },
      "a new key after a list with a new token, the first token being from before the record": (record) => {
        const pair = { user: "the business", access: "access", refresh: "refresh" };
        record.pay(pair, cutAfter, { status: null });
        record.wait(2000);
        const next = record.refresh(pair);
        record.read(next, { operation: "listRoutines" });
        record.pay(next, { body: "b" });
      },
      "a new key after reading the first payment's transfer": (record) => {
        const pair = record.connect();
        const joins = ["routine:r", "transfer:t"];
        record.pay(pair, { ...slow, resource_id: "r" }, { took: 1500 });
        record.wait(2000);
        record.read(pair, { operation: "getTransfer", resource: "t", joins });
        record.wait(60_000);
        record.pay(pair, { body: "b" });
      },
      "a new key after settling the first one by voiding it": (record) => {
        const pair = record.connect();
        record.pay(pair, { ...cutAfter, idempotency_key: "k" }, { status: null });
        record.wait(3000);
        record.call("voidBookRoutine", { access_token: pair.access, idempotency_key: "k" });
        record.wait(60_000);
        record.pay(pair, { body: "b" });
      },
      "a new key after the retry was answered": (record) => {
        const pair = record.connect();
        record.pay(pair, { ...cutAfter, idempotency_key: "k" }, { status: null });
        record.wait(1000);
        record.pay(pair, { ...cutAfter, idempotency_key: "k" }, { status: null });
        record.wait(1000);
        record.pay(pair, { body: "b", idempotency_key: "k" });
        record.wait(60_000);
        record.pay(pair, { body: "b" });
      },
      "another payment while a job retries the first": (record) => {
        const pair = record.connect();
        record.pay(pair, { ...cutAfter, idempotency_key: "k" }, { status: null });
        record.wait(20_000);
        record.pay(pair, { body: "b" });
        record.wait(40_000);
        record.pay(pair, { ...cutAfter, idempotency_key: "k" }, { status: null });
      },
      "a new key after a connection dropped before the payment": (record) => {
        const pair = record.connect();
        record.pay(pair, cutBefore, { status: null });
        record.wait(2000);
        record.pay(pair, { body: "b" });
      },
      "a new key after a refusal that was never sent": (record) => {
        const pair = record.connect();
        record.pay(pair, { ...cutAfter, resource_id: null }, { status: null });
        record.wait(2000);
        record.pay(pair, { body: "b" });
      },
      "two at once, one of them slow": (record) => {
        const pair = record.connect();
        record.pay(pair, slow, { isAside: true, took: 20_000 });
        record.wait(10);
        record.pay(pair, { body: "b" });
      },
    },
  },
  "business-token-for-routines": {
    kept: {
      "the business's": (record) => {
        record.pay(record.connect("the business"));
      },
      "the business's, answered too late": (record) => {
        record.pay(record.connect("the business"), slow, { took: 30_000 });
      },
    },
    broken: {
      "a seller's": (record) => {
        record.pay(record.connect(), {}, { status: 403, reason: "business_user_required" });
      },
    },
    notSeen: {
      "no payment": (record) => {
        record.connect();
      },
      "too little money": (record) => {
        record.pay(record.connect(), {}, { status: 422, reason: "insufficient_funds" });
      },
    },
    nearMisses: {
      "the business is suspended": (record) => {
        record.pay(record.connect(), {}, { status: 403, reason: "user_not_approved" });
      },
      "a fault": (record) => {
        record.pay(record.connect(), { is_faulted: true }, { status: 403, reason: "business_user_required" });
      },
    },
  },
};

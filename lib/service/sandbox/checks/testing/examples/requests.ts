import type { CallEvent } from "../../../../../contract/sandbox-events.ts";
import type { CallOptions, Examples, Recorder } from "../example-events.ts";

const invalid = { status: 400, reason: "validation_failed" };

export const examples: Record<string, Examples> = {
  "requests-valid": {
    kept: {
      "an intent": (record) => {
        record.call("createUserIntent");
      },
    },
    broken: {
      "a phone in the wrong format": (record) => {
        record.call("createUserIntent", {}, invalid);
      },
      "an idempotency key that isn't a UUID": (record) => {
        record.call("createUserIntent", {}, { status: 400, reason: "invalid_idempotency_key" });
      },
      "a form where JSON is expected": (record) => {
        record.call("createUserIntent", {}, { status: 415, reason: "unsupported_media_type" });
      },
      "a token request in XML": (record) => {
        record.call("issueTokens", {}, { status: 415, reason: "invalid_request" });
      },
      "no grant_type": (record) => {
        record.call("issueTokens", { body: "b" }, { status: 400, reason: "invalid_request" });
      },
      "an unknown grant_type": (record) => {
        record.call("issueTokens", { body: "b" }, { status: 400, reason: "unsupported_grant_type" });
      },
      "a code that was decoded twice": (record) => {
        record.call("createUserIntent");
        record.wait(400_000);
        record.exchange("code+with+spaces", { status: 400 });
      },
    },
    notSeen: {
      "no calls": (record) => {
        record.open();
      },
    },
    nearMisses: {
      "sensitive metadata, which another rule covers": (record) => {
        record.call("createUserIntent", { has_sensitive_metadata: true }, invalid);
      },
      "a payment's invalid key, which another rule covers": (record) => {
        record.pay(record.connect(), {}, { status: 400, reason: "invalid_idempotency_key" });
      },
      "a body cut off by a dropped connection": (record) => {
        record.call("createUserIntent", {}, { status: 400, reason: "invalid_json" });
        record.call("issueTokens", {}, { status: 400, reason: "invalid_request" });
      },
      "an exchange without a code after a denial, which another rule covers": (record) => {
        record.exchange(null, { status: 400, reason: "invalid_request" });
      },
      "two people named, which another rule covers": (record) => {
        record.call("verifyPartnerIdentity", { named_people: ["user_intent_id", "user_id"] }, invalid);
      },
      "a code used twice, which another rule covers": (record) => {
        record.call("createUserIntent");
        record.wait(400_000);
        const code = record.authorize();
        record.exchange(code);
        record.exchange(code, { status: 400 });
      },
      "a code from before the record": (record) => {
        record.exchange("code-of-long-ago", { status: 400 });
      },
      "an expired refresh token": (record) => {
        record.refresh(record.connect(), { status: 400 });
      },
    },
  },
  "intent-key-on-retry": {
    kept: {
      "the same key": (record) => {
        submit(record, { idempotency_key: "key" }, unanswered);
        submit(record, { idempotency_key: "key" });
      },
    },
    broken: {
      "another key": (record) => {
        submit(record, { idempotency_key: "key" }, unanswered);
        submit(record, { idempotency_key: "another" });
      },
      "no key": (record) => {
        submit(record, {}, unanswered);
        submit(record);
      },
      "no key, while a slow call is still unanswered": (record) => {
        submit(record, { is_faulted: true }, slow);
        record.wait(10_000);
        submit(record);
        record.wait(20_000);
      },
    },
    notSeen: {
      "no retry": (record) => {
        submit(record, {}, unanswered);
      },
    },
    nearMisses: {
      "nothing was created": (record) => {
        submit(record, { resource_id: null }, unanswered);
        submit(record);
      },
      "another person": (record) => {
        submit(record, { body: "ada" }, unanswered);
        submit(record, { body: "grace" });
      },
      "the same details again after a slow answer": (record) => {
        submit(record, { is_faulted: true }, { took: 1500 });
        record.wait(60_000);
        submit(record);
      },
      "a double click during a slow call": (record) => {
        submit(record, { is_faulted: true }, slow);
        record.wait(200);
        submit(record);
      },
      "the same key, while a slow call is still unanswered": (record) => {
        submit(record, { is_faulted: true, idempotency_key: "key" }, slow);
        record.wait(10_000);
        submit(record, { idempotency_key: "key" });
      },
      "two submissions, both answered": (record) => {
        submit(record);
        submit(record);
      },
    },
  },
};

const unanswered = { status: null };

const slow = { took: 30_000, isAside: true };

function submit(record: Recorder, facts: Partial<CallEvent["facts"]> = {}, options: CallOptions = {}) {
  record.call(
    "createUserIntent",
    { body: "ada", resource_id: record.name("intent"), ...facts },
    { status: 201, ...options },
  );
}

import type { Examples } from "../example-events.ts";

const dropped = { status: null, facts: { fault: "drop", error: "dropped_on_purpose" } } as const;

const withheld = { status: null, facts: { fault: "withhold", error: "held_back" } } as const;

export const examples: Record<string, Examples> = {
  "record-read-after-event": {
    kept: {
      "the routine": (record) => {
        const pair = record.connect();
        record.deliver({ resource_id: "r1" });
        record.read(pair, { operation: "getRoutine", resource: "r1" });
      },
      "the user": (record) => {
        const pair = record.connect();
        record.deliver({ webhook_type: "user_updated", resource_id: "ada" });
        record.read(pair, { operation: "readUser" });
      },
    },
    broken: {
      "no read": (record) => {
        record.connect();
        record.deliver({ resource_id: "r1" });
        record.wait(10_000);
      },
      "no read of a routine, while the secret rotates": (record) => {
        record.connect();
        record.deliver({ resource_id: "r1", facts: { signed_with: "both", signatures: 2 } });
        record.wait(10_000);
      },
      "a read of another routine": (record) => {
        const pair = record.connect();
        record.deliver({ resource_id: "r1" });
        record.read(pair, { operation: "getRoutine", resource: "r2" });
        record.wait(10_000);
      },
    },
    notSeen: {
      "no webhook": (record) => {
        record.connect();
      },
      "a webhook from a moment ago": (record) => {
        record.connect();
        record.deliver({ resource_id: "r1" });
        record.wait(1000);
      },
    },
    nearMisses: {
      "a read just before the webhook": (record) => {
        const pair = record.connect();
        record.read(pair, { operation: "getRoutine", resource: "r1" });
        record.deliver({ resource_id: "r1" });
        record.wait(60_000);
      },
      "the routine, after a webhook about its transfer": (record) => {
        const pair = record.connect();
        record.pay(pair, { resource_id: "r1" }, { joins: ["routine:r1", "transfer:t1"] });
        record.deliver({ webhook_type: "transfer_updated", resource_id: "t1", joins: ["transfer:t1"] });
        record.read(pair, { operation: "getRoutine", resource: "r1" });
        record.wait(60_000);
      },
      "the list": (record) => {
        const pair = record.connect();
        record.deliver({ resource_id: "r1" });
        record.read(pair, { operation: "listRoutines" });
        record.wait(60_000);
      },
      "the service is down": (record) => {
        const pair = record.connect();
        record.deliver({ resource_id: "r1" });
        record.read(pair, { operation: "getRoutine", resource: "r1", status: 503, reason: "unavailable" });
        record.wait(60_000);
      },
      "the client is disconnected": (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.refresh });
        record.deliver({ resource_id: "r1" });
        record.wait(60_000);
      },
      "a reset of the clock ended the connection": (record) => {
        const pair = record.connect();
        record.control("resetSandboxClock");
        record.refresh(pair, { status: 400 });
        record.wait(20_000);
        record.deliver({ resource_id: "r1" });
        record.wait(60_000);
      },
      "the refresh token had expired": (record) => {
        const pair = record.connect();
        record.jump(11 * 86_400);
        record.refresh(pair, { status: 400 });
        record.wait(20_000);
        record.deliver({ resource_id: "r1" });
        record.wait(60_000);
      },
      "the service had revoked the tokens": (record) => {
        const pair = record.connect();
        record.control("revokeSandboxTokens");
        record.read(pair, { status: 401, reason: "invalid_token" });
        record.wait(20_000);
        record.deliver({ resource_id: "r1" });
        record.wait(60_000);
      },
      "a tampered webhook and a rejected one": (record) => {
        record.connect();
        record.deliver({ resource_id: "r1", facts: { fault: "tamper" } });
        record.deliver({ resource_id: "r1", status: 500 });
        record.wait(60_000);
      },
      "an intent, which has no read call": (record) => {
        record.connect();
        record.deliver({ webhook_type: "user_intent_updated", resource_id: "i1" });
        record.wait(60_000);
      },
    },
  },
  "lost-event-healed": {
    kept: {
      "read without the webhook": (record) => {
        const pair = record.connect();
        record.deliver({ resource_id: "r1", ...dropped });
        record.wait(60_000);
        record.read(pair, { operation: "getRoutine", resource: "r1" });
      },
      "read before the late webhook": (record) => {
        const pair = record.connect();
        record.deliver({ webhook_id: "w", resource_id: "r1", ...dropped });
        record.read(pair, { operation: "listRoutines" });
        record.deliver({ webhook_id: "w", resource_id: "r1", facts: { attempt: 2 } });
      },
    },
    broken: {
      "no read for an hour": (record) => {
        const pair = record.connect();
        record.deliver({ resource_id: "r1", ...dropped });
        record.wait(3_600_000);
        record.read(pair);
      },
      "no read for an hour after the receiver didn't answer": (record) => {
        record.connect();
        record.deliver({ resource_id: "r1", status: null });
        record.wait(3_600_000);
      },
    },
    notSeen: {
      "every webhook arrives": (record) => {
        record.connect();
        record.deliver();
      },
      "just lost": (record) => {
        record.connect();
        record.deliver({ resource_id: "r1", ...dropped });
        record.wait(60_000);
      },
    },
    nearMisses: {
      "the retry arrives": (record) => {
        record.connect();
        record.deliver({ webhook_id: "w", resource_id: "r1", ...dropped });
        record.wait(5000);
        record.deliver({ webhook_id: "w", resource_id: "r1", facts: { attempt: 2 } });
        record.wait(3_600_000);
      },
      "the client is disconnected": (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.refresh });
        record.deliver({ resource_id: "r1", status: null });
        record.wait(3_600_000);
      },
      "delayed, not lost": (record) => {
        record.connect();
        record.deliver({ resource_id: "r1", status: null, facts: { fault: "delay" } });
        record.wait(3_600_000);
      },
      "the read is refused": (record) => {
        const pair = record.connect();
        record.deliver({ resource_id: "r1", ...dropped });
        record.read(pair, { operation: "getRoutine", resource: "r1", status: 503, reason: "unavailable" });
        record.wait(3_600_000);
      },
      "the clock jumps by a day": (record) => {
        record.connect();
        record.deliver({ resource_id: "r1", ...dropped });
        record.jump(86_400);
      },
    },
  },
  "heals-without-webhooks": {
    kept: {
      "read while it's held back": (record) => {
        const pair = record.connect();
        record.deliver({ webhook_id: "w", resource_id: "r1", ...withheld });
        record.read(pair, { operation: "getRoutine", resource: "r1" });
        record.wait(400_000);
        record.deliver({ webhook_id: "w", resource_id: "r1" });
      },
      "read between the change and its webhook": (record) => {
        const pair = record.connect();
        record.read(pair, { operation: "getRoutine", resource: "r1" });
        record.deliver({ resource_id: "r1", ...withheld });
        record.wait(300_000);
      },
      "found in the list": (record) => {
        const pair = record.connect();
        record.deliver({ resource_id: "r1", ...withheld });
        record.wait(60_000);
        record.read(pair, { operation: "listRoutines" });
      },
    },
    broken: {
      "no read for five minutes": (record) => {
        record.connect();
        record.deliver({ resource_id: "r1", ...withheld });
        record.wait(300_000);
      },
      "read only once it arrives": (record) => {
        const pair = record.connect();
        record.deliver({ webhook_id: "w", resource_id: "r1", ...withheld });
        record.wait(300_000);
        record.deliver({ webhook_id: "w", resource_id: "r1" });
        record.wait(3000);
        record.deliver({ resource_id: "r2", ...withheld });
        record.read(pair, { operation: "getRoutine", resource: "r2" });
      },
    },
    notSeen: {
      "every webhook arrives": (record) => {
        record.connect();
        record.deliver();
      },
      "just held back": (record) => {
        record.connect();
        record.deliver({ resource_id: "r1", ...withheld });
        record.wait(60_000);
      },
    },
    nearMisses: {
      "the refresh token had expired": (record) => {
        const pair = record.connect();
        record.jump(11 * 86_400);
        record.refresh(pair, { status: 400 });
        record.wait(20_000);
        record.deliver({ resource_id: "r1", ...withheld });
        record.wait(300_000);
      },
      "held back for a minute": (record) => {
        const pair = record.connect();
        record.deliver({ webhook_id: "w", resource_id: "r1", ...withheld });
        record.wait(60_000);
        record.deliver({ webhook_id: "w", resource_id: "r1" });
        record.read(pair, { operation: "getRoutine", resource: "r1" });
        record.wait(300_000);
      },
      "the client is disconnected": (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.refresh });
        record.deliver({ resource_id: "r1", ...withheld });
        record.wait(300_000);
      },
      "an intent, which has no published read": (record) => {
        record.connect();
        record.deliver({ webhook_type: "user_intent_updated", resource_id: "i1", ...withheld });
        record.wait(300_000);
      },
      "the read is refused": (record) => {
        const pair = record.connect();
        record.deliver({ resource_id: "r1", ...withheld });
        record.read(pair, { operation: "getRoutine", resource: "r1", status: 503, reason: "unavailable" });
        record.wait(300_000);
      },
    },
  },
};

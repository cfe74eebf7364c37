import type { Examples } from "../testing/example-events.ts";

/** Stories of what follows a webhook. */
export const examples: Examples = {
  kept: {
    "the routine": (story) => {
      const pair = story.connect();
      story.deliver({ resource_id: "r1" });
      story.read(pair, { operation: "getRoutine", resource: "r1" });
    },
    "the user": (story) => {
      const pair = story.connect();
      story.deliver({ webhook_type: "user_updated", resource_id: "ada" });
      story.read(pair, { operation: "readUser" });
    },
  },
  broken: {
    nothing: (story) => {
      story.connect();
      story.deliver({ resource_id: "r1" });
      story.wait(10_000);
    },
    "another routine": (story) => {
      const pair = story.connect();
      story.deliver({ resource_id: "r1" });
      story.read(pair, { operation: "getRoutine", resource: "r2" });
      story.wait(10_000);
    },
  },
  notSeen: {
    "no webhook": (story) => {
      story.connect();
    },
    "a webhook of a moment ago": (story) => {
      story.connect();
      story.deliver({ resource_id: "r1" });
      story.wait(1000);
    },
  },
  nearMisses: {
    "somebody had just looked": (story) => {
      const pair = story.connect();
      story.read(pair, { operation: "getRoutine", resource: "r1" });
      story.deliver({ resource_id: "r1" });
      story.wait(60_000);
    },
    "the routine, after a webhook about its transfer": (story) => {
      const pair = story.connect();
      story.pay(pair, { resource_id: "r1" }, { joins: ["routine:r1", "transfer:t1"] });
      story.deliver({ webhook_type: "transfer_updated", resource_id: "t1", joins: ["transfer:t1"] });
      story.read(pair, { operation: "getRoutine", resource: "r1" });
      story.wait(60_000);
    },
    "the list": (story) => {
      const pair = story.connect();
      story.deliver({ resource_id: "r1" });
      story.read(pair, { operation: "listRoutines" });
      story.wait(60_000);
    },
    "the service does not answer": (story) => {
      const pair = story.connect();
      story.deliver({ resource_id: "r1" });
      story.read(pair, { operation: "getRoutine", resource: "r1", status: 503, reason: "unavailable" });
      story.wait(60_000);
    },
    "the client is not connected any more": (story) => {
      const pair = story.connect();
      story.call("revokeToken", { revoked_token: pair.refresh });
      story.deliver({ resource_id: "r1" });
      story.wait(60_000);
    },
    "a tampered one, and one that was not taken": (story) => {
      story.connect();
      story.deliver({ resource_id: "r1", facts: { fault: "tamper" } });
      story.deliver({ resource_id: "r1", status: 500 });
      story.wait(60_000);
    },
    "an intent, which no published call reads": (story) => {
      story.connect();
      story.deliver({ webhook_type: "user_intent_updated", resource_id: "i1" });
      story.wait(60_000);
    },
  },
};

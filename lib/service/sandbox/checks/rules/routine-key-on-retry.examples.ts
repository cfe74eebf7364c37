import type { Examples } from "../testing/example-events.ts";

const slow = { is_faulted: true, body: "b" };
const cutAfter = { is_faulted: true, cut: "after", body: "b" } as const;
const cutBefore = { is_faulted: true, cut: "before", body: null, resource_id: null } as const;

/** Stories of payments that are sent again. */
export const examples: Examples = {
  kept: {
    "with the same key": (story) => {
      const pair = story.connect();
      story.pay(pair, { ...slow, idempotency_key: "k" }, { isAside: true, took: 20_000 });
      story.wait(5000);
      story.pay(pair, { body: "b", idempotency_key: "k" });
    },
    "with the same key, after the connection was cut": (story) => {
      const pair = story.connect();
      story.pay(pair, { ...cutAfter, idempotency_key: "k" }, { status: null });
      story.wait(2000);
      story.pay(pair, { body: "b", idempotency_key: "k" });
    },
  },
  broken: {
    "with another key, because no answer had come": (story) => {
      const pair = story.connect();
      story.pay(pair, slow, { isAside: true, took: 20_000 });
      story.wait(5000);
      story.pay(pair, { body: "b" });
    },
    "with another key, because the connection was cut": (story) => {
      const pair = story.connect();
      story.pay(pair, cutAfter, { status: null });
      story.wait(2000);
      story.pay(pair, { body: "b" });
    },
  },
  notSeen: {
    "every payment is sent once": (story) => {
      const pair = story.connect();
      story.pay(pair);
      story.pay(pair);
    },
  },
  nearMisses: {
    "the same amount to the same seller, twice on purpose": (story) => {
      const pair = story.connect();
      story.pay(pair, { body: "b" });
      story.pay(pair, { body: "b" });
    },
    "anew, after a failure that says that nothing was made": (story) => {
      const pair = story.connect();
      story.pay(pair, { body: "b" }, { status: 503, reason: "unavailable" });
      story.pay(pair, { body: "b" });
    },
    "anew, after the first was found in the list": (story) => {
      const pair = story.connect();
      story.pay(pair, slow, { isAside: true, took: 20_000 });
      story.wait(5000);
      story.read(pair, { operation: "listRoutines" });
      story.pay(pair, { body: "b" });
    },
    "anew, after a connection that was cut before anything was made": (story) => {
      const pair = story.connect();
      story.pay(pair, cutBefore, { status: null });
      story.wait(2000);
      story.pay(pair, { body: "b" });
    },
    "anew, after a refusal of which nobody heard": (story) => {
      const pair = story.connect();
      story.pay(pair, { ...cutAfter, resource_id: null }, { status: null });
      story.wait(2000);
      story.pay(pair, { body: "b" });
    },
    "two at once, of which one is slow": (story) => {
      const pair = story.connect();
      story.pay(pair, slow, { isAside: true, took: 20_000 });
      story.wait(10);
      story.pay(pair, { body: "b" });
    },
  },
};

import type { Examples } from "../testing/example-events.ts";

/** Stories of keys for more than one payment. */
export const examples: Examples = {
  kept: {
    "one for each": (story) => {
      const pair = story.connect();
      story.pay(pair);
      story.pay(pair);
    },
  },
  broken: {
    "the same for two payments": (story) => {
      const pair = story.connect();
      story.pay(pair, { idempotency_key: "k" });
      story.pay(pair, { idempotency_key: "k" }, { status: 422, reason: "idempotency_key_reused" });
    },
  },
  notSeen: {
    "nobody pays": (story) => {
      story.connect();
    },
    "no key at all": (story) => {
      story.pay(story.connect(), { idempotency_key: null });
    },
  },
  nearMisses: {
    "the same for the same payment, after a refresh": (story) => {
      const pair = story.connect();
      story.pay(pair, { idempotency_key: "k", body: "b" }, { status: 401, reason: "token_expired" });
      story.pay(story.refresh(pair), { idempotency_key: "k", body: "b" });
    },
    "two businesses that chose the same": (story) => {
      story.pay(story.connect("ada"), { idempotency_key: "k" });
      story.pay(story.connect("grace"), { idempotency_key: "k" });
    },
  },
};

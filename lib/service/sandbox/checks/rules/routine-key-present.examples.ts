import type { Examples } from "../testing/example-events.ts";

/** Stories of payments with and without a key. */
export const examples: Examples = {
  kept: {
    "with one": (story) => {
      story.pay(story.connect());
    },
  },
  broken: {
    "without one": (story) => {
      story.pay(story.connect(), { idempotency_key: null });
    },
  },
  notSeen: {
    "nobody pays": (story) => {
      story.connect();
    },
  },
  nearMisses: {
    "an intent without one": (story) => {
      story.call("createUserIntent", { authorization: "basic" }, { status: 201 });
    },
  },
};

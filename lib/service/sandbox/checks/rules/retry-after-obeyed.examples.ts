import type { Examples } from "../testing/example-events.ts";

const busy = { status: 429, reason: "rate_limited" };

/** Stories of a service that asks for patience. */
export const examples: Examples = {
  kept: {
    "again after two seconds": (story) => {
      story.call("createUserIntent", { body: "b", retry_after_seconds: 2 }, busy);
      story.wait(2000);
      story.call("createUserIntent", { body: "b" }, { status: 201 });
    },
  },
  broken: {
    "again at once, and again": (story) => {
      for (let round = 0; round < 3; round++) {
        story.call("createUserIntent", { body: "b", retry_after_seconds: 2 }, busy);
        story.wait(100);
      }
    },
    "a payment with its key at once": (story) => {
      const pair = story.connect();
      story.pay(pair, { idempotency_key: "k", body: "b", retry_after_seconds: 1 }, busy);
      story.pay(pair, { idempotency_key: "k", body: "b" });
    },
  },
  notSeen: {
    "nobody is asked to wait": (story) => {
      story.read(story.connect());
    },
    "nobody tries again": (story) => {
      story.call("createUserIntent", { body: "b", retry_after_seconds: 2 }, busy);
    },
  },
  nearMisses: {
    "another tab that did not know": (story) => {
      const pair = story.connect();
      story.call("listAccounts", { access_token: pair.access, retry_after_seconds: 2 }, busy);
      story.call("listAccounts", { access_token: pair.access, retry_after_seconds: 2 }, busy);
    },
    "another user": (story) => {
      for (const user of ["ada", "grace", "mary"]) {
        story.call("listAccounts", { access_token: story.connect(user).access, retry_after_seconds: 2 }, busy);
      }
    },
    "a timer that is a little early": (story) => {
      for (let round = 0; round < 4; round++) {
        story.call("createUserIntent", { body: "b", retry_after_seconds: 2 }, busy);
        story.wait(1900);
      }
    },
  },
};

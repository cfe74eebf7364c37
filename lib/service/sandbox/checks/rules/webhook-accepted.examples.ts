import type { Examples } from "../testing/example-events.ts";

/** Stories of genuine webhooks. */
export const examples: Examples = {
  kept: {
    "200": (story) => {
      story.deliver();
    },
    "204": (story) => {
      story.deliver({ status: 204 });
    },
  },
  broken: {
    "401, though the signature is right": (story) => {
      story.deliver({ status: 401 });
    },
    "500, and again": (story) => {
      story.deliver({ webhook_id: "w", status: 500 });
      story.deliver({ webhook_id: "w", status: 500, facts: { attempt: 2 } });
    },
    "302 to a page": (story) => {
      story.deliver({ status: 302 });
    },
  },
  notSeen: {
    "no webhook": (story) => {
      story.connect();
    },
    "nobody listens yet": (story) => {
      story.deliver({ status: null, facts: { error: "refused" } });
    },
  },
  nearMisses: {
    "an exception, and the next attempt is taken": (story) => {
      story.deliver({ webhook_id: "w", status: 500 });
      story.deliver({ webhook_id: "w", facts: { attempt: 2 } });
    },
    "a tampered one is refused": (story) => {
      story.deliver({ status: 401, facts: { fault: "tamper" } });
    },
    "one that was dropped on purpose": (story) => {
      story.deliver({ status: null, facts: { fault: "drop", error: "dropped_on_purpose" } });
    },
    "410: the client wants no more": (story) => {
      story.deliver({ status: 410 });
    },
  },
};

import type { Examples } from "../testing/example-events.ts";

/** Stories of webhooks that were changed on the way. */
export const examples: Examples = {
  kept: {
    "401": (story) => {
      story.deliver({ status: 401, facts: { fault: "tamper" } });
    },
    "400": (story) => {
      story.deliver({ status: 400, facts: { fault: "tamper" } });
    },
  },
  broken: {
    taken: (story) => {
      story.deliver({ status: 401, facts: { fault: "tamper" } });
      story.deliver({ status: 200, facts: { fault: "tamper" } });
    },
  },
  notSeen: {
    "genuine ones alone": (story) => {
      story.deliver();
    },
    "no answer": (story) => {
      story.deliver({ status: null, facts: { fault: "tamper" } });
    },
  },
  nearMisses: {
    "the genuine one after it is taken": (story) => {
      story.deliver({ webhook_id: "w", status: 401, facts: { fault: "tamper" } });
      story.deliver({ webhook_id: "w", facts: { attempt: 2 } });
    },
    "an exception, which takes nothing": (story) => {
      story.deliver({ status: 500, facts: { fault: "tamper" } });
    },
  },
};

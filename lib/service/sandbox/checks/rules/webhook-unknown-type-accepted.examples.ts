import type { Examples } from "../testing/example-events.ts";

const surprise = { fault: "unknown_type" } as const;

/** Stories of webhooks of an unknown type. */
export const examples: Examples = {
  kept: {
    "200": (story) => {
      story.deliver({ webhook_type: "sandbox_surprise", facts: surprise });
    },
  },
  broken: {
    "400": (story) => {
      story.deliver({ webhook_type: "sandbox_surprise", status: 400, facts: surprise });
    },
    "an exception": (story) => {
      story.deliver({ webhook_type: "sandbox_surprise", status: 500, facts: surprise });
    },
  },
  notSeen: {
    "known types alone": (story) => {
      story.deliver();
    },
  },
  nearMisses: {
    "no answer": (story) => {
      story.deliver({ webhook_type: "sandbox_surprise", status: null, facts: surprise });
    },
  },
};

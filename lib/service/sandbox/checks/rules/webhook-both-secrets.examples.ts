import type { Examples } from "../testing/example-events.ts";

const both = { signed_with: "both", signatures: 2 } as const;

/** Stories of secrets that are rotated. */
export const examples: Examples = {
  kept: {
    "two signatures": (story) => {
      story.deliver({ facts: both });
    },
    "the old one alone": (story) => {
      story.deliver({ facts: { signed_with: "old_only" } });
    },
  },
  broken: {
    "two signatures, of which only the first is read": (story) => {
      story.deliver({ status: 401, facts: both });
    },
    "the old secret was replaced and not kept": (story) => {
      story.deliver({ facts: both });
      story.deliver({ status: 401, facts: { signed_with: "old_only" } });
    },
  },
  notSeen: {
    "nobody rotates": (story) => {
      story.deliver();
    },
  },
  nearMisses: {
    "a tampered one is refused meanwhile": (story) => {
      story.deliver({ status: 401, facts: { ...both, fault: "tamper" } });
    },
    "what was refused before the rotation is refused again": (story) => {
      story.deliver({ webhook_id: "w", status: 400 });
      story.deliver({ webhook_id: "w", status: 400, facts: { ...both, attempt: 2 } });
    },
    "an address that is not there": (story) => {
      story.deliver({ status: 404, facts: both });
    },
    "too busy": (story) => {
      story.deliver({ status: 503, facts: both });
    },
  },
};

import type { Examples } from "../testing/example-events.ts";

/** Stories of webhooks that arrive twice. */
export const examples: Examples = {
  kept: {
    "two copies at once": (story) => {
      story.deliver({ webhook_id: "w" });
      story.deliver({ webhook_id: "w", facts: { fault: "duplicate" } });
    },
    "sent again by hand": (story) => {
      story.deliver({ webhook_id: "w" });
      story.deliver({ webhook_id: "w", facts: { attempt: 2 } });
    },
  },
  broken: {
    "409 for the copy": (story) => {
      story.deliver({ webhook_id: "w" });
      story.deliver({ webhook_id: "w", status: 409, facts: { fault: "duplicate" } });
    },
    "an exception for what was sent again": (story) => {
      story.deliver({ webhook_id: "w" });
      story.deliver({ webhook_id: "w", status: 500, facts: { attempt: 2 } });
    },
  },
  notSeen: {
    "each comes once": (story) => {
      story.deliver();
      story.deliver();
    },
  },
  nearMisses: {
    "the first attempt had failed": (story) => {
      story.deliver({ webhook_id: "w", status: 500 });
      story.deliver({ webhook_id: "w", status: 500, facts: { attempt: 2 } });
    },
    "busy with the first copy": (story) => {
      story.deliver({ webhook_id: "w" });
      story.deliver({ webhook_id: "w", status: 503, facts: { fault: "duplicate" } });
    },
    "a stale copy is refused": (story) => {
      story.deliver({ webhook_id: "w" });
      story.deliver({ webhook_id: "w", status: 401, facts: { fault: "stale" } });
    },
  },
};

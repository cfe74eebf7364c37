import type { Examples } from "../testing/example-events.ts";

const dropped = { status: null, facts: { fault: "drop", error: "dropped_on_purpose" } } as const;

/** Stories of webhooks that do not arrive. */
export const examples: Examples = {
  kept: {
    "read all the same": (story) => {
      const pair = story.connect();
      story.deliver({ resource_id: "r1", ...dropped });
      story.wait(60_000);
      story.read(pair, { operation: "getRoutine", resource: "r1" });
    },
    "read before the webhook came at last": (story) => {
      const pair = story.connect();
      story.deliver({ webhook_id: "w", resource_id: "r1", ...dropped });
      story.read(pair, { operation: "listRoutines" });
      story.deliver({ webhook_id: "w", resource_id: "r1", facts: { attempt: 2 } });
    },
  },
  broken: {
    "never read, for an hour": (story) => {
      const pair = story.connect();
      story.deliver({ resource_id: "r1", ...dropped });
      story.wait(3_600_000);
      story.read(pair);
    },
  },
  notSeen: {
    "every webhook arrives": (story) => {
      story.connect();
      story.deliver();
    },
    "lost a moment ago": (story) => {
      story.connect();
      story.deliver({ resource_id: "r1", ...dropped });
      story.wait(60_000);
    },
  },
  nearMisses: {
    "the next attempt brings it": (story) => {
      story.connect();
      story.deliver({ webhook_id: "w", resource_id: "r1", ...dropped });
      story.wait(5000);
      story.deliver({ webhook_id: "w", resource_id: "r1", facts: { attempt: 2 } });
      story.wait(3_600_000);
    },
    "only held back": (story) => {
      story.connect();
      story.deliver({ resource_id: "r1", status: null, facts: { fault: "delay" } });
      story.wait(3_600_000);
    },
    "reading is refused": (story) => {
      const pair = story.connect();
      story.deliver({ resource_id: "r1", ...dropped });
      story.read(pair, { operation: "getRoutine", resource: "r1", status: 503, reason: "unavailable" });
      story.wait(3_600_000);
    },
    "the clock jumps by a day": (story) => {
      story.connect();
      story.deliver({ resource_id: "r1", ...dropped });
      story.jump(86_400);
    },
  },
};

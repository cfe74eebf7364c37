import type { Examples } from "../testing/example-events.ts";

const stranger = { probe: "unknown_customer" } as const;

/** Stories of questions about nobody. */
export const examples: Examples = {
  kept: {
    "404": (story) => {
      story.customer({ status: 404, facts: stranger });
    },
  },
  broken: {
    "an empty record": (story) => {
      story.customer({ status: 200, facts: stranger });
    },
    "an exception": (story) => {
      story.customer({ status: 500, facts: stranger });
    },
  },
  notSeen: {
    "nobody asks about a stranger": (story) => {
      story.customer();
    },
    "no answer": (story) => {
      story.customer({ status: null, facts: stranger });
    },
  },
  nearMisses: {
    "404 about one's own, which is another rule's matter": (story) => {
      story.customer({ status: 404 });
    },
    "too busy": (story) => {
      story.customer({ status: 503, facts: stranger });
    },
  },
};

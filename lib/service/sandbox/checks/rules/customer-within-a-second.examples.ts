import type { Examples } from "../testing/example-events.ts";

/** Stories of how long the customer endpoint takes. */
export const examples: Examples = {
  kept: {
    fast: (story) => {
      story.customer({ duration_ms: 30 });
    },
  },
  broken: {
    "a second and more": (story) => {
      story.customer({ duration_ms: 30 });
      story.customer({ duration_ms: 1400 });
    },
  },
  notSeen: {
    "nobody asks": (story) => {
      story.connect();
    },
    "one slow answer, the first": (story) => {
      story.customer({ duration_ms: 2000 });
    },
  },
  nearMisses: {
    "the first answer of a process is slow": (story) => {
      story.customer({ duration_ms: 2000 });
      story.customer({ duration_ms: 30 });
    },
    "an outage that takes its time": (story) => {
      story.customer();
      story.customer({ status: null, duration_ms: 5000 });
    },
  },
};

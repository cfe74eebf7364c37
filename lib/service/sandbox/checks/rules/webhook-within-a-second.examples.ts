import type { Examples } from "../testing/example-events.ts";

/** Stories of how long receivers take. */
export const examples: Examples = {
  kept: {
    fast: (story) => {
      story.deliver({ duration_ms: 15 });
    },
  },
  broken: {
    "the work is done before the answer": (story) => {
      story.deliver({ duration_ms: 15 });
      story.deliver({ duration_ms: 1500 });
    },
  },
  notSeen: {
    "no webhook": (story) => {
      story.connect();
    },
  },
  nearMisses: {
    "the first answer of a process is slow": (story) => {
      story.deliver({ duration_ms: 3000 });
      story.deliver({ duration_ms: 15 });
    },
    "nobody listens": (story) => {
      story.deliver();
      story.deliver({ status: null, duration_ms: 10_000 });
    },
  },
};

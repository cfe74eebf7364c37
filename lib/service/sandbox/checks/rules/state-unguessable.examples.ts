import type { Examples } from "../testing/example-events.ts";

/** Stories of short and long states. */
export const examples: Examples = {
  kept: {
    "long and random": (story) => {
      story.open();
    },
  },
  broken: {
    "a counter": (story) => {
      story.open({ state: "7", state_length: 1 });
    },
    "one character too short": (story) => {
      story.open({ state: "short", state_length: 15 });
    },
  },
  notSeen: {
    "nobody visits": (story) => {
      story.mint();
    },
    "there is no state": (story) => {
      story.open({ state: null, state_length: 0 });
    },
  },
  nearMisses: {
    "just long enough": (story) => {
      story.open({ state: "sixteen", state_length: 16 });
    },
  },
};

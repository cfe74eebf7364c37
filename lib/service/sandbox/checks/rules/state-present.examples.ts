import type { Examples } from "../testing/example-events.ts";

/** Stories of visits with and without a state. */
export const examples: Examples = {
  kept: {
    "with one": (story) => {
      story.open();
    },
  },
  broken: {
    "without one": (story) => {
      story.open({ state: null, state_length: 0 });
    },
  },
  notSeen: {
    "nobody visits": (story) => {
      story.mint();
    },
  },
  nearMisses: {
    "a person types a part of the address": (story) => {
      story.visit("refused", { cause: "session_token_unknown" });
    },
  },
};

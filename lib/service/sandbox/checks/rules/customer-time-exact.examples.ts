import type { Examples } from "../testing/example-events.ts";

/** Stories of how the time of the last login is written. */
export const examples: Examples = {
  kept: {
    "milliseconds and Z": (story) => {
      story.customer();
    },
  },
  broken: {
    "whole seconds": (story) => {
      story.customer({ facts: { has_milliseconds: false } });
    },
    "an offset": (story) => {
      story.customer({ facts: { is_utc: false } });
    },
  },
  notSeen: {
    "nobody asks": (story) => {
      story.connect();
    },
  },
  nearMisses: {
    "there is no time at all": (story) => {
      story.customer({ facts: { problems: ["lastAuthenticationTime"], has_milliseconds: null, is_utc: null } });
    },
  },
};

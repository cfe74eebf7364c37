import type { Examples } from "../testing/example-events.ts";

/** Stories of verifiers. */
export const examples: Examples = {
  kept: {
    sent: (story) => {
      story.connect();
    },
  },
  broken: {
    forgotten: (story) => {
      story.exchange(story.authorize(), { status: 400, facts: { has_code_verifier: false } });
    },
  },
  notSeen: {
    "nobody exchanges": (story) => {
      story.authorize();
    },
  },
  nearMisses: {
    "no challenge, and so no verifier": (story) => {
      const code = story.authorize({ code_challenge: null, code_challenge_method: null });
      story.exchange(code, { facts: { has_code_verifier: false } });
    },
  },
};

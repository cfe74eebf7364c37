import type { Examples } from "../testing/example-events.ts";

/** Stories of challenges. */
export const examples: Examples = {
  kept: {
    S256: (story) => {
      story.open();
    },
  },
  broken: {
    "no challenge": (story) => {
      story.open({ code_challenge: null, code_challenge_method: null });
    },
    "the method plain, which is sent back": (story) => {
      story.visit("sent_back", { code_challenge: "c", code_challenge_method: "plain", error: "invalid_request" });
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

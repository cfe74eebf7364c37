import type { Examples } from "../testing/example-events.ts";

/** Stories of session tokens that come again. */
export const examples: Examples = {
  kept: {
    "one for each visit": (story) => {
      story.open({ session_token: story.mint() });
      story.open({ session_token: story.mint() });
    },
  },
  broken: {
    "kept for the next visit": (story) => {
      const session_token = story.mint();
      story.open({ session_token });
      story.wait(5000);
      story.visit("refused", { session_token, state: "another", cause: "session_token_spent" });
    },
  },
  notSeen: {
    "nobody visits": (story) => {
      story.mint();
    },
    "a client without trusted authentication": (story) => {
      story.open({ session_token: null });
    },
  },
  nearMisses: {
    "a person goes back and forth": (story) => {
      const { visit } = story.open({ session_token: story.mint() });
      story.visit("refused", { ...visit.facts, cause: "session_token_spent" });
      story.visit("refused", { ...visit.facts, cause: "session_token_spent" });
    },
  },
};

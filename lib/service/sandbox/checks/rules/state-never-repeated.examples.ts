import type { Examples } from "../testing/example-events.ts";

/** Stories of states that come again. */
export const examples: Examples = {
  kept: {
    "a new one for each visit": (story) => {
      story.open();
      story.open();
    },
  },
  broken: {
    "the same for two people": (story) => {
      story.open({ state: "constant", user_id: "ada" });
      story.open({ state: "constant", user_id: "grace" });
    },
    "the same with another session token": (story) => {
      story.open({ state: "constant", code_challenge: "c", session_token: story.mint() });
      story.open({ state: "constant", code_challenge: "c", session_token: story.mint() });
    },
  },
  notSeen: {
    "nobody visits": (story) => {
      story.mint();
    },
  },
  nearMisses: {
    "a person reloads the address": (story) => {
      const { visit } = story.open({ user_id: "ada" });
      story.open(visit.facts);
    },
    "a reload that is refused": (story) => {
      const { visit } = story.open({ session_token: story.mint() });
      story.visit("refused", { ...visit.facts, cause: "session_token_spent" });
    },
  },
};

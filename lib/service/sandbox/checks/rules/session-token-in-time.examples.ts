import type { Examples } from "../testing/example-events.ts";

/** Stories of session tokens and of their minute. */
export const examples: Examples = {
  kept: {
    "at once": (story) => {
      story.open({ session_token: story.mint() });
    },
  },
  broken: {
    "from a link that was drawn two minutes ago": (story) => {
      const session_token = story.mint();
      story.wait(120_000);
      story.visit("refused", { session_token, cause: "session_token_expired" });
    },
  },
  notSeen: {
    "nobody visits": (story) => {
      story.mint();
    },
    "a token of which nothing is known": (story) => {
      story.visit("refused", { session_token: "session-of-long-ago", cause: "session_token_unknown" });
    },
  },
  nearMisses: {
    "a reload after two minutes": (story) => {
      const { visit } = story.open({ session_token: story.mint() });
      story.wait(120_000);
      story.visit("refused", { ...visit.facts, cause: "session_token_spent" });
    },
    "the clock jumps while the person is on the way": (story) => {
      const session_token = story.mint();
      story.jump(90);
      story.visit("refused", { session_token, cause: "session_token_expired" });
    },
  },
};

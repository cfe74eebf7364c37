import type { Examples } from "../testing/example-events.ts";

/** Stories of redirect addresses. */
export const examples: Examples = {
  kept: {
    "the same": (story) => {
      story.connect();
    },
  },
  broken: {
    "another one that is registered too": (story) => {
      const code = story.authorize();
      story.exchange(code, { status: 400, facts: { redirect_uri: "https://app.example/other" } });
    },
    none: (story) => {
      story.exchange(story.authorize(), { status: 400, facts: { redirect_uri: null } });
    },
  },
  notSeen: {
    "a code of which nothing is known": (story) => {
      story.exchange("code-of-long-ago", { status: 400, facts: { redirect_uri: "https://app.example/other" } });
    },
  },
  nearMisses: {
    "two tabs with two addresses": (story) => {
      const other = { redirect_uri: "https://app.example/other" };
      const [first, second] = [story.authorize(), story.authorize(other)];
      story.exchange(second, { facts: other });
      story.exchange(first);
    },
  },
};

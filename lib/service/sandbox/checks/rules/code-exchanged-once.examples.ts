import type { Examples } from "../testing/example-events.ts";

/** Stories of codes that are exchanged. */
export const examples: Examples = {
  kept: {
    once: (story) => {
      story.connect();
    },
  },
  broken: {
    "twice at once": (story) => {
      const code = story.authorize();
      story.exchange(code, { isAside: true });
      story.wait(2);
      story.exchange(code, { status: 400 });
    },
    "again on a reload, when the tokens were in use": (story) => {
      const code = story.authorize();
      story.read(story.exchange(code));
      story.wait(30_000);
      story.exchange(code, { status: 400 });
    },
    "a refused code, three times": (story) => {
      const code = story.authorize();
      for (let round = 0; round < 3; round++) {
        story.exchange(code, { status: 400 });
        story.wait(2000);
      }
    },
  },
  notSeen: {
    "nobody exchanges": (story) => {
      story.authorize();
    },
    "the one exchange is refused": (story) => {
      story.exchange(story.authorize(), { status: 400 });
    },
  },
  nearMisses: {
    "again because the service was not there": (story) => {
      const code = story.authorize();
      story.exchange(code, { status: 503, reason: "unavailable" });
      story.exchange(code);
    },
    "again because the answer was lost": (story) => {
      const code = story.authorize();
      story.exchange(code);
      story.wait(10_000);
      story.exchange(code, { status: 400 });
    },
    "two codes at once": (story) => {
      const [first, second] = [story.authorize(), story.authorize()];
      story.exchange(first, { isAside: true });
      story.exchange(second);
    },
  },
};

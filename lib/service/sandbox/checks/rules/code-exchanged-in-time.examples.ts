import type { Examples } from "../testing/example-events.ts";

/** Stories of codes and of their five minutes. */
export const examples: Examples = {
  kept: {
    "at once": (story) => {
      story.connect();
    },
  },
  broken: {
    "after six minutes": (story) => {
      const code = story.authorize();
      story.wait(6 * 60_000);
      story.exchange(code, { status: 400 });
    },
    "after a queue, by a clock that was moved": (story) => {
      const code = story.authorize();
      story.wait(3000);
      story.jump(400);
      story.exchange(code, { status: 400 });
    },
  },
  notSeen: {
    "nobody exchanges": (story) => {
      story.authorize();
    },
    "a code of which nothing is known": (story) => {
      story.exchange("code-of-long-ago", { status: 400 });
    },
  },
  nearMisses: {
    "the clock jumps while the person is on the way back": (story) => {
      const code = story.authorize();
      story.jump(400);
      story.exchange(code, { status: 400 });
    },
    "after four minutes": (story) => {
      const code = story.authorize();
      story.wait(4 * 60_000);
      story.exchange(code);
    },
  },
};

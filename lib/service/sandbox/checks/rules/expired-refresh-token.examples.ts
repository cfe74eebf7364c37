import type { Examples } from "../testing/example-events.ts";

const elevenDays = 11 * 86_400;

/** Stories of refresh tokens that have ended. */
export const examples: Examples = {
  kept: {
    "refused once, then the person authorizes": (story) => {
      const pair = story.connect();
      story.jump(elevenDays);
      story.refresh(pair, { status: 400 });
      story.wait(60_000);
      story.connect();
    },
  },
  broken: {
    "the same dead token again and again": (story) => {
      const pair = story.connect();
      story.jump(elevenDays);
      for (let round = 0; round < 3; round++) {
        story.refresh(pair, { status: 400 });
        story.wait(1500);
      }
    },
  },
  notSeen: {
    "no refresh is refused": (story) => {
      story.refresh(story.connect());
    },
    "the person has not come back yet": (story) => {
      const pair = story.connect();
      story.jump(elevenDays);
      story.refresh(pair, { status: 400 });
      story.wait(60_000);
    },
  },
  nearMisses: {
    "three processes at once": (story) => {
      const pair = story.connect();
      story.jump(elevenDays);
      for (let round = 0; round < 3; round++) story.refresh(pair, { status: 400, isAside: true });
    },
    "once more, because the answer was lost": (story) => {
      const pair = story.connect();
      story.jump(elevenDays);
      story.refresh(pair, { status: 400 });
      story.wait(30_000);
      story.refresh(pair, { status: 400 });
    },
    "an endpoint that is down": (story) => {
      const pair = story.connect();
      for (let round = 0; round < 5; round++) {
        story.refresh(pair, { status: 503, reason: "unavailable" });
        story.wait(5000);
      }
    },
    "three users": (story) => {
      const pairs = ["ada", "grace", "mary"].map((user) => story.connect(user));
      story.jump(elevenDays);
      for (const pair of pairs) {
        story.refresh(pair, { status: 400 });
        story.wait(3000);
      }
    },
  },
};

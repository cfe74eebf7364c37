import type { Examples } from "../testing/example-events.ts";

/** Stories of refreshes that are needed, and of some that are not. */
export const examples: Examples = {
  kept: {
    "after the service said that the token has expired": (story) => {
      const pair = story.connect();
      story.read(pair);
      story.jump(7300);
      story.read(pair, { status: 401 });
      story.refresh(pair);
    },
    "shortly before the token expires": (story) => {
      const pair = story.connect();
      story.jump(7000);
      story.refresh(pair);
    },
    "after a week without a request": (story) => {
      const pair = story.connect();
      story.jump(7 * 86_400);
      story.refresh(pair);
    },
  },
  broken: {
    "before every request": (story) => {
      const first = story.connect();
      story.read(first);
      const second = story.refresh(first);
      story.read(second);
    },
    "with the token that came a moment ago": (story) => {
      const first = story.connect();
      story.read(first, { status: 401 });
      const second = story.refresh(first);
      story.refresh(second);
    },
    "again and again after the clock has jumped": (story) => {
      const first = story.connect();
      story.jump(7300);
      const second = story.refresh(first);
      const third = story.refresh(second);
      story.refresh(third);
    },
    "once more after a jump that ends no token": (story) => {
      const first = story.connect();
      story.jump(3600);
      story.read(first, { status: 401 });
      const second = story.refresh(first);
      story.refresh(second);
    },
  },
  notSeen: {
    "nobody refreshes": (story) => {
      story.read(story.connect());
    },
    "the refresh is refused": (story) => {
      story.refresh(story.connect(), { status: 400 });
    },
  },
  nearMisses: {
    "again because the first answer was lost": (story) => {
      const pair = story.connect();
      story.jump(7300);
      story.refresh(pair);
      story.wait(10_000);
      story.refresh(pair);
    },
    "after a fault told that a living token has expired": (story) => {
      const pair = story.connect();
      story.read(pair, { status: 401 });
      story.refresh(pair);
    },
    "the client's own clock follows after it got a pair by the moved one": (story) => {
      const first = story.connect();
      story.jump(7 * 86_400);
      story.read(first, { status: 401 });
      const second = story.refresh(first);
      story.read(second);
      story.wait(10_000);
      story.refresh(second);
    },
    "the same, where the first answer by the moved clock was lost": (story) => {
      const first = story.connect();
      story.read(first);
      story.jump(7 * 86_400);
      story.refresh(first);
      story.wait(10_000);
      const second = story.refresh(first);
      story.wait(10_000);
      story.refresh(second);
    },
    "two users, one of whom needs it": (story) => {
      const [ada, grace] = [story.connect("ada"), story.connect("grace")];
      story.read(ada);
      story.read(grace, { status: 401 });
      story.refresh(grace);
    },
    "another process was about to refresh with what it had read": (story) => {
      const pair = story.connect();
      story.read(pair, { status: 401 });
      const next = story.refresh(pair);
      story.read(next);
      story.refresh(pair);
    },
  },
};

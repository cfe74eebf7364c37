import type { Examples } from "../testing/example-events.ts";

/** Stories of access tokens that others have replaced. */
export const examples: Examples = {
  kept: {
    "the new one, and it alone": (story) => {
      const pair = story.connect();
      story.read(pair);
      story.jump(7300);
      const next = story.refresh(pair);
      story.read(next);
      story.wait(5000);
      story.read(next);
    },
  },
  broken: {
    "the old one after the new one": (story) => {
      const pair = story.connect();
      story.jump(7000);
      story.read(story.refresh(pair));
      story.wait(2500);
      story.read(pair, { status: 401, reason: "token_superseded" });
    },
  },
  notSeen: {
    "there is one pair": (story) => {
      story.read(story.connect());
    },
    "each user has one": (story) => {
      story.read(story.connect("ada"));
      story.read(story.connect("grace"));
    },
  },
  nearMisses: {
    "a call that was under way": (story) => {
      const pair = story.connect();
      story.jump(7000);
      story.read(story.refresh(pair));
      story.wait(300);
      story.read(pair, { status: 401, reason: "token_superseded" });
    },
    "the new pair never arrived": (story) => {
      const pair = story.connect();
      story.jump(7000);
      story.refresh(pair);
      story.wait(20_000);
      story.read(pair, { status: 401, reason: "token_superseded" });
    },
    "another user has a new one": (story) => {
      const [ada, grace] = [story.connect("ada"), story.connect("grace")];
      story.jump(7000);
      story.read(story.refresh(ada));
      story.wait(5000);
      story.read(grace);
    },
    "the client's clock jumps while a call is under way": (story) => {
      const pair = story.connect();
      story.jump(7000);
      story.read(story.refresh(pair));
      story.jump(86_400);
      story.read(pair, { status: 401 });
    },
  },
};

import type { Examples } from "../testing/example-events.ts";

/** Stories of people who disconnect. */
export const examples: Examples = {
  kept: {
    revoked: (story) => {
      const pair = story.connect();
      story.call("revokeToken", { revoked_token: pair.refresh });
    },
  },
  broken: {
    "forgotten, and connected anew while the old pair was alive": (story) => {
      const pair = story.connect();
      story.read(pair);
      story.wait(60_000);
      story.connect();
    },
  },
  notSeen: {
    "nobody disconnects": (story) => {
      story.read(story.connect());
    },
  },
  nearMisses: {
    "authorized anew because the token has expired": (story) => {
      const pair = story.connect();
      story.read(pair);
      story.jump(7300);
      story.connect();
    },
    "authorized anew because the service said that the token is dead": (story) => {
      const pair = story.connect();
      story.read(pair, { status: 401, reason: "invalid_token" });
      story.connect();
    },
    "authorized anew because a refresh was refused": (story) => {
      const pair = story.connect();
      story.read(pair);
      story.refresh(pair, { status: 400 });
      story.connect();
    },
    "the clock was set back, which ends every authorization": (story) => {
      const pair = story.connect();
      story.read(pair);
      story.control("resetSandboxClock");
      story.connect();
    },
    "the answer to the first exchange was lost": (story) => {
      story.connect();
      story.wait(20_000);
      story.connect();
    },
    "two tabs": (story) => {
      const [first, second] = [story.authorize(), story.authorize()];
      story.read(story.exchange(first));
      story.exchange(second);
    },
  },
};

import type { Examples } from "../testing/example-events.ts";

/** Stories of what follows the error `token_expired`. */
export const examples: Examples = {
  kept: {
    "a refresh and the same call": (story) => {
      const pair = story.connect();
      story.jump(7300);
      story.read(pair, { status: 401 });
      story.read(story.refresh(pair));
    },
    "a refresh whose answer was never sent, another one, and the same call": (story) => {
      const pair = story.connect();
      story.jump(7300);
      story.read(pair, { status: 401 });
      story.refresh(pair, { status: null, facts: { is_faulted: true, cut: "after" } });
      story.wait(1000);
      story.read(story.refresh(pair));
    },
    "a new authorization and the same call": (story) => {
      const pair = story.connect();
      story.jump(7300);
      story.read(pair, { status: 401 });
      story.wait(60_000);
      story.read(story.connect());
    },
  },
  broken: {
    "the expired token again, and again": (story) => {
      const pair = story.connect();
      story.jump(7300);
      story.read(pair, { status: 401 });
      story.wait(2500);
      story.read(pair, { status: 401 });
    },
    "a refresh, and the call is forgotten": (story) => {
      const pair = story.connect();
      story.jump(7300);
      story.read(pair, { status: 401 });
      story.read(story.refresh(pair), { operation: "readUser" });
      story.wait(10_000);
    },
  },
  notSeen: {
    "no token expires": (story) => {
      story.read(story.connect());
    },
    "the person is asked, and has not come back": (story) => {
      const pair = story.connect();
      story.jump(7300);
      story.read(pair, { status: 401 });
      story.mint();
      story.wait(60_000);
    },
  },
  nearMisses: {
    "three calls of one page, one refresh, three repeats": (story) => {
      const pair = story.connect();
      story.jump(7300);
      for (const operation of ["listAccounts", "readUser", "listRoutines"]) {
        story.read(pair, { operation, status: 401, isAside: true });
      }
      story.wait(30);
      const next = story.refresh(pair);
      for (const operation of ["listAccounts", "readUser", "listRoutines"]) story.read(next, { operation });
    },
    "the token endpoint is down, and each try asks it": (story) => {
      const pair = story.connect();
      story.jump(7300);
      for (let round = 0; round < 3; round++) {
        story.read(pair, { status: 401 });
        story.refresh(pair, { status: 503, reason: "unavailable" });
        story.wait(5000);
      }
    },
    "the answer to the refresh is lost": (story) => {
      const pair = story.connect();
      story.jump(7300);
      story.read(pair, { status: 401 });
      story.refresh(pair);
      story.wait(60_000);
    },
    "a call of another process was under way": (story) => {
      const pair = story.connect();
      story.jump(7300);
      story.read(pair, { status: 401 });
      story.wait(500);
      story.read(pair, { status: 401 });
    },
  },
};

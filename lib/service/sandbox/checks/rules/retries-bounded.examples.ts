import type { Examples } from "../testing/example-events.ts";

const down = { status: 500, reason: "internal_error" };

/** Stories of calls that fail. */
export const examples: Examples = {
  kept: {
    "three tries with pauses": (story) => {
      for (const pause of [200, 800, 3000]) {
        story.call("createUserIntent", { body: "b" }, down);
        story.wait(pause);
      }
    },
    "a second try that succeeds": (story) => {
      story.call("createUserIntent", { body: "b" }, down);
      story.call("createUserIntent", { body: "b" }, { status: 201 });
    },
  },
  broken: {
    "thirty times in a second": (story) => {
      for (let round = 0; round < 30; round++) story.call("createUserIntent", { body: "b" }, down);
    },
    "thirty times in a second, without an answer": (story) => {
      for (let round = 0; round < 30; round++) story.call("createUserIntent", { body: "b" }, { status: null });
    },
  },
  notSeen: {
    "nothing fails": (story) => {
      for (let round = 0; round < 30; round++) story.call("createUserIntent", { body: "b" }, { status: 201 });
    },
    "one failure, and nobody tries again": (story) => {
      story.call("createUserIntent", { body: "b" }, down);
    },
  },
  nearMisses: {
    "a page that asks each second during an outage": (story) => {
      for (let round = 0; round < 60; round++) {
        story.call("listAccounts", {}, down);
        story.wait(1000);
      }
    },
    "thirty people at once": (story) => {
      const pairs = Array.from({ length: 30 }, (_, place) => story.connect(`person ${place}`));
      for (const pair of pairs) story.read(pair, down);
    },
    "every second one succeeds": (story) => {
      for (let round = 0; round < 60; round++) {
        story.call("listAccounts", {}, round % 2 === 0 ? down : { status: 200 });
      }
    },
  },
};

import type { Examples } from "../testing/example-events.ts";

const day = 86_400;

/** Stories of refresh tokens that are renewed, and of some that end. */
export const examples: Examples = {
  kept: {
    "after a week": (story) => {
      const pair = story.connect();
      story.jump(7 * day);
      story.refresh(pair);
    },
  },
  broken: {
    "a client that was told and did nothing": (story) => {
      const pair = story.connect();
      story.jump(8 * day);
      story.read(pair, { status: 401 });
      story.wait(11_000);
      story.jump(3 * day);
    },
    "a client that was told, did nothing, and tried when it was too late": (story) => {
      const pair = story.connect();
      story.jump(8 * day);
      story.read(pair, { status: 401 });
      story.wait(11_000);
      story.jump(3 * day);
      story.refresh(pair, { status: 400 });
      story.connect();
    },
    "ten real days": (story) => {
      const pair = story.connect();
      story.wait(10 * day * 1000);
      story.read(pair, { status: 401 });
    },
  },
  notSeen: {
    "a pair is young": (story) => {
      story.read(story.connect());
    },
    "a refresh because a call was refused": (story) => {
      const pair = story.connect();
      story.jump(2 * day);
      story.read(pair, { status: 401 });
      story.refresh(pair);
    },
  },
  nearMisses: {
    "a jump over all ten days": (story) => {
      const pair = story.connect();
      story.jump(11 * day);
      story.read(pair, { status: 401 });
      story.wait(60_000);
    },
    "the clock jumps on before the client could do anything": (story) => {
      const pair = story.connect();
      story.jump(8 * day);
      story.read(pair, { status: 401 });
      story.wait(500);
      story.jump(3 * day);
    },
    "it was revoked": (story) => {
      const pair = story.connect();
      story.jump(day);
      story.read(pair, { status: 401 });
      story.call("revokeToken", { revoked_token: pair.refresh });
      story.wait(20_000);
      story.jump(20 * day);
    },
    "the token endpoint was down": (story) => {
      const pair = story.connect();
      story.jump(8 * day);
      story.read(pair, { status: 401 });
      story.refresh(pair, { status: 503, reason: "unavailable" });
      story.wait(20_000);
      story.jump(3 * day);
    },
  },
};

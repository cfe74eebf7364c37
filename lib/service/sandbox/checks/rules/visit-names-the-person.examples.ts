import type { Examples } from "../testing/example-events.ts";

const ofIntent = { named_people: ["user_intent_id"] };

/** Stories of the ids in the address of a visit. */
export const examples: Examples = {
  kept: {
    "the intent of the token": (story) => {
      const session_token = story.mint(ofIntent, { joins: ["intent:i1"] });
      story.open({ session_token, user_intent_id: "i1" });
    },
  },
  broken: {
    "no intent": (story) => {
      const session_token = story.mint(ofIntent, { joins: ["intent:i1"] });
      story.visit("refused", { session_token });
    },
    "another intent": (story) => {
      const session_token = story.mint(ofIntent, { joins: ["intent:i1"] });
      story.visit("refused", { session_token, user_intent_id: "i2" });
    },
  },
  notSeen: {
    "tokens of users alone": (story) => {
      story.open({ session_token: story.mint() });
    },
  },
  nearMisses: {
    "a token of a user, and no user_id, which is optional": (story) => {
      story.open({ session_token: story.mint(), user_id: null });
    },
    "two people at once": (story) => {
      const first = story.mint(ofIntent, { joins: ["intent:i1"] });
      const second = story.mint(ofIntent, { joins: ["intent:i2"] });
      story.open({ session_token: second, user_intent_id: "i2" });
      story.open({ session_token: first, user_intent_id: "i1" });
    },
  },
};

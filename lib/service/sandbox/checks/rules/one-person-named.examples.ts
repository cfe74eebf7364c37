import type { Examples } from "../testing/example-events.ts";

/** Stories of whom a verification names. */
export const examples: Examples = {
  kept: {
    "a user": (story) => {
      story.mint({ named_people: ["user_id"], body: "b" });
    },
    "an intent": (story) => {
      story.mint({ named_people: ["user_intent_id"], body: "b" });
    },
  },
  broken: {
    both: (story) => {
      const facts = { named_people: ["user_id", "user_intent_id"], body: "b" };
      story.call("verifyPartnerIdentity", facts, { status: 400, reason: "validation_failed" });
    },
    neither: (story) => {
      story.call("verifyPartnerIdentity", { body: "b" }, { status: 400, reason: "validation_failed" });
    },
  },
  notSeen: {
    "nobody is verified": (story) => {
      story.read(story.connect());
    },
  },
  nearMisses: {
    "a body that could not be read": (story) => {
      story.call("verifyPartnerIdentity", { body: null }, { status: 400, reason: "invalid_json" });
    },
  },
};

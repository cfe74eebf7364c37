import type { Examples } from "../testing/example-events.ts";

/** Stories of whose token pays. */
export const examples: Examples = {
  kept: {
    "the business's": (story) => {
      story.pay(story.connect("the business"));
    },
  },
  broken: {
    "a seller's": (story) => {
      story.pay(story.connect(), {}, { status: 403, reason: "business_user_required" });
    },
  },
  notSeen: {
    "nobody pays": (story) => {
      story.connect();
    },
    "too little money": (story) => {
      story.pay(story.connect(), {}, { status: 422, reason: "insufficient_funds" });
    },
  },
  nearMisses: {
    "the business is suspended": (story) => {
      story.pay(story.connect(), {}, { status: 403, reason: "user_not_approved" });
    },
    "a fault": (story) => {
      story.pay(story.connect(), { is_faulted: true }, { status: 403, reason: "business_user_required" });
    },
  },
};

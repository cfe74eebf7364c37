import type { Examples } from "../testing/example-events.ts";

const withoutTime = { has_milliseconds: null, is_utc: null };

/** Stories of customer records. */
export const examples: Examples = {
  kept: {
    "all five": (story) => {
      story.customer();
    },
  },
  broken: {
    "no last_name": (story) => {
      story.customer({ facts: { problems: ["not_a_customer_record", "last_name"] } });
    },
    "no lastAuthenticationTime": (story) => {
      story.customer({ facts: { problems: ["not_a_customer_record", "lastAuthenticationTime"], ...withoutTime } });
    },
    "no JSON": (story) => {
      story.customer({ facts: { problems: ["not_json"], ...withoutTime } });
    },
  },
  notSeen: {
    "nobody asks": (story) => {
      story.connect();
    },
    "no answer with success": (story) => {
      story.customer({ status: 500, facts: { problems: ["status"], ...withoutTime } });
    },
  },
  nearMisses: {
    "a time in another zone, which is another rule's matter": (story) => {
      story.customer({ facts: { problems: ["not_a_customer_record", "lastAuthenticationTime"], is_utc: false } });
    },
    "a phone that has changed": (story) => {
      story.customer({ facts: { problems: ["phone_differs"] } });
    },
    "a stranger's": (story) => {
      story.customer({ status: 404, facts: { probe: "unknown_customer", problems: ["status"], ...withoutTime } });
    },
  },
};

import type { Examples } from "../testing/example-events.ts";

/** Stories of strangers who ask about a customer. */
export const examples: Examples = {
  kept: {
    "401 without credentials": (story) => {
      story.customer({ status: 401, facts: { probe: "no_credentials" } });
    },
    "403 with wrong ones": (story) => {
      story.customer({ status: 403, facts: { probe: "wrong_credentials" } });
    },
  },
  broken: {
    "the record, without credentials": (story) => {
      story.customer({ status: 200, facts: { probe: "no_credentials" } });
    },
    "the record, with wrong ones": (story) => {
      story.customer({ status: 401, facts: { probe: "no_credentials" } });
      story.customer({ status: 200, facts: { probe: "wrong_credentials" } });
    },
  },
  notSeen: {
    "nobody tries": (story) => {
      story.customer();
    },
    "an exception, which tells nothing of the customer": (story) => {
      story.customer({ status: 500, facts: { probe: "no_credentials" } });
    },
  },
  nearMisses: {
    "the record, for the service": (story) => {
      story.customer({ status: 200 });
    },
  },
};

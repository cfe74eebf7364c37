import type { Examples } from "../testing/example-events.ts";

/** Stories of the customer endpoint's answers. */
export const examples: Examples = {
  kept: {
    "200": (story) => {
      story.customer();
    },
  },
  broken: {
    "404 about a customer whom the client sent": (story) => {
      story.customer({ status: 404 });
    },
    "500": (story) => {
      story.customer();
      story.customer({ status: 500 });
    },
    "nobody ever listens": (story) => {
      story.customer({ status: null, facts: { problems: ["unreachable"] } });
    },
  },
  notSeen: {
    "nobody asks": (story) => {
      story.connect();
    },
  },
  nearMisses: {
    "404 about a stranger": (story) => {
      story.customer({ status: 404, facts: { probe: "unknown_customer" } });
    },
    "an outage": (story) => {
      story.customer();
      story.customer({ status: null, facts: { problems: ["unreachable"] } });
      story.customer({ status: 503 });
    },
  },
};

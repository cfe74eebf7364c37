import type { Examples } from "../testing/example-events.ts";

/** Stories of what metadata holds. */
export const examples: Examples = {
  kept: {
    "the client's own id": (story) => {
      story.call("createUserIntent", { metadata_keys: ["customer_id"] }, { status: 201 });
    },
  },
  broken: {
    "a social security number": (story) => {
      const facts = { metadata_keys: ["ssn"], has_sensitive_metadata: true };
      story.call("createUserIntent", facts, { status: 400, reason: "validation_failed" });
    },
  },
  notSeen: {
    "no metadata": (story) => {
      story.call("createUserIntent", {}, { status: 201 });
    },
    "no intent": (story) => {
      story.connect();
    },
  },
  nearMisses: {
    "a key that is too long": (story) => {
      const facts = { metadata_keys: ["k".repeat(65)] };
      story.call("createUserIntent", facts, { status: 400, reason: "validation_failed" });
    },
  },
};

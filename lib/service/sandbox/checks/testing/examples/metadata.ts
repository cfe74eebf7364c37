import type { Examples, Recorder } from "../example-events.ts";

function createIntent(record: Recorder, metadata_fingerprints: string[]): void {
  record.call("createUserIntent", { resource_id: "i1", metadata_fingerprints }, { status: 201 });
}

export const examples: Record<string, Examples> = {
  "no-sensitive-metadata": {
    kept: {
      "the client's own id": (record) => {
        record.call("createUserIntent", { metadata_keys: ["customer_id"] }, { status: 201 });
      },
    },
    broken: {
      "a social security number": (record) => {
        const facts = { metadata_keys: ["ssn"], has_sensitive_metadata: true };
        record.call("createUserIntent", facts, { status: 400, reason: "validation_failed" });
      },
    },
    notSeen: {
      "no metadata": (record) => {
        record.call("createUserIntent", {}, { status: 201 });
      },
      "no intent": (record) => {
        record.connect();
      },
    },
    nearMisses: {
      "a key that is too long": (record) => {
        const facts = { metadata_keys: ["k".repeat(65)] };
        record.call("createUserIntent", facts, { status: 400, reason: "validation_failed" });
      },
    },
  },
  "customer-id-in-metadata": {
    kept: {
      "the id used for verification": (record) => {
        createIntent(record, ["a source", "customer-ada"]);
        record.mint({ customer_id: "customer-ada" }, { joins: ["intent:i1"] });
      },
    },
    broken: {
      "no metadata": (record) => {
        createIntent(record, []);
        record.mint({ customer_id: "customer-ada" }, { joins: ["intent:i1"] });
      },
      "another customer's id": (record) => {
        createIntent(record, ["customer-grace"]);
        record.mint({ customer_id: "customer-ada" }, { joins: ["intent:i1"] });
      },
    },
    notSeen: {
      "no verification": (record) => {
        createIntent(record, []);
      },
    },
    nearMisses: {
      "an intent from before the record": (record) => {
        record.mint({ customer_id: "customer-ada" }, { joins: ["intent:i0"] });
      },
      "the business, which has no intent": (record) => {
        createIntent(record, ["customer-ada"]);
        record.mint({ customer_id: "customer-business" }, { joins: ["user:b"] });
      },
    },
  },
};

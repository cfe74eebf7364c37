import type { Examples, Story } from "../testing/example-events.ts";

function createIntent(story: Story, metadata_fingerprints: string[]): void {
  story.call("createUserIntent", { resource_id: "i1", metadata_fingerprints }, { status: 201 });
}

/** Stories of how a person is known to the client. */
export const examples: Examples = {
  kept: {
    "the id by which the person is verified": (story) => {
      createIntent(story, ["a source", "customer-ada"]);
      story.mint({ customer_id: "customer-ada" }, { joins: ["intent:i1"] });
    },
  },
  broken: {
    "no metadata": (story) => {
      createIntent(story, []);
      story.mint({ customer_id: "customer-ada" }, { joins: ["intent:i1"] });
    },
    "somebody else's id": (story) => {
      createIntent(story, ["customer-grace"]);
      story.mint({ customer_id: "customer-ada" }, { joins: ["intent:i1"] });
    },
  },
  notSeen: {
    "nobody is verified": (story) => {
      createIntent(story, []);
    },
  },
  nearMisses: {
    "an intent of before the record": (story) => {
      story.mint({ customer_id: "customer-ada" }, { joins: ["intent:i0"] });
    },
    "the business, which has no intent": (story) => {
      createIntent(story, ["customer-ada"]);
      story.mint({ customer_id: "customer-business" }, { joins: ["user:b"] });
    },
  },
};

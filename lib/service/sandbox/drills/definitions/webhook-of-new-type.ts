import type { Drill } from "../drill.ts";

/** A webhook of a new type comes. */
export const webhookOfNewType: Drill = {
  id: "webhook-of-new-type",
  title: "A webhook of a new type comes",
  broken: "A genuine webhook is sent whose type nobody knows.",
  clauses: ["I.events.1", "D14.3"],
  interfaceSays: "What is not 2xx counts as failed and comes again.",
  goodClient: "Answers with success and does nothing.",
  steps: [
    {
      call: {
        method: "PUT",
        path: "/sandbox/webhook_faults",
        body: {
          kind: "unknown_type",
          times: 1,
        },
      },
    },
    {
      do: "Let your app pay an onboarded person from the business, a round amount such as 10.00, and wait until it shows the payment as done.",
    },
  ],
  expect: ["webhook-unknown-type-accepted"],
  proof: "It is taken at the first attempt.",
};

import type { Drill } from "../drill.ts";

/** A webhook comes twice at once. */
export const webhookComesTwice: Drill = {
  id: "webhook-comes-twice",
  title: "A webhook comes twice at once",
  broken: "The next webhooks are sent in two copies each.",
  clauses: ["D14.3", "I.webhook-payload.2"],
  interfaceSays: "Webhooks are delivered at least once; a copy has the webhook_id of the first.",
  goodClient: "Answers both with success and does the work once.",
  steps: [
    {
      call: {
        method: "PUT",
        path: "/sandbox/webhook_faults",
        body: {
          kind: "duplicate",
          times: 2,
        },
      },
    },
    {
      do: "Let your app pay an onboarded person from the business, a round amount such as 10.00, and wait until it shows the payment as done.",
    },
  ],
  expect: ["webhook-duplicate-accepted", "webhook-within-a-second"],
  proof: "Both copies are taken, within a second.",
};

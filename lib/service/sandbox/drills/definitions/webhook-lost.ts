import type { Drill } from "../drill.ts";

/** Webhooks are lost. */
export const webhookLost: Drill = {
  id: "webhook-lost",
  title: "Webhooks are lost",
  broken: "The next two webhooks do not arrive at their first attempt.",
  clauses: ["D14.1", "D14.3"],
  interfaceSays: "The record can be fetched at any time.",
  goodClient: "Finds out by reading: because somebody looks, or by a job of its own.",
  steps: [
    {
      call: {
        method: "PUT",
        path: "/sandbox/webhook_faults",
        body: {
          kind: "drop",
          times: 2,
        },
      },
    },
    {
      do: "Let your app pay an onboarded person from the business, and look at the payment in your app until it is shown as done.",
    },
  ],
  expect: ["lost-event-healed"],
  proof: "A read of the routine or its transfer before any webhook about it has arrived.",
};

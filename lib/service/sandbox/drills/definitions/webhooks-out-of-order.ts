import type { Drill } from "../drill.ts";

/** Webhooks change places. */
export const webhooksOutOfOrder: Drill = {
  id: "webhooks-out-of-order",
  title: "Webhooks change places",
  broken: "The next webhook is sent after the one that follows it.",
  clauses: ["D14.1", "D14.3"],
  interfaceSays: "Webhooks are unordered and carry no status.",
  goodClient: "Reads the record after each, and believes the record.",
  steps: [
    {
      call: {
        method: "PUT",
        path: "/sandbox/webhook_faults",
        body: {
          kind: "reorder",
          times: 1,
        },
      },
    },
    {
      do: "Let your app pay an onboarded person from the business, a round amount such as 10.00, and wait until it shows the payment as done.",
    },
  ],
  expect: ["record-read-after-event", "webhook-accepted"],
  proof: "A read after the webhook; the payment is shown as done.",
};

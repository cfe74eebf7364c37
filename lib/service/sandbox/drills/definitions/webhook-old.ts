import type { Drill } from "../drill.ts";

/** An old webhook is played again. */
export const webhookOld: Drill = {
  id: "webhook-old",
  title: "An old webhook is played again",
  broken: "The next webhook has a timestamp of six minutes ago.",
  clauses: ["D14.2"],
  interfaceSays: "The timestamp is signed, and Standard Webhooks refuses one that is more than five minutes away.",
  goodClient: "Refuses it and takes the one that follows.",
  steps: [
    {
      call: {
        method: "PUT",
        path: "/sandbox/webhook_faults",
        body: {
          kind: "stale",
          times: 1,
        },
      },
    },
    {
      do: "Let your app pay an onboarded person from the business, a round amount such as 10.00, and wait until it shows the payment as done.",
    },
  ],
  expect: ["webhook-stale-refused"],
  proof: "The old one is refused; the payment is shown as done all the same.",
};

import type { Drill } from "../drill.ts";

/** A webhook is changed on the way. */
export const webhookChanged: Drill = {
  id: "webhook-changed",
  title: "A webhook is changed on the way",
  broken: "The next webhook is changed by somebody who does not have the secret.",
  clauses: ["D14.2"],
  interfaceSays: "The signature is over the bytes of the body.",
  goodClient: "Refuses it and takes the genuine one that follows.",
  steps: [
    {
      call: {
        method: "PUT",
        path: "/sandbox/webhook_faults",
        body: {
          kind: "tamper",
          times: 1,
        },
      },
    },
    {
      do: "Let your app pay an onboarded person from the business, a round amount such as 10.00, and wait until it shows the payment as done.",
    },
  ],
  expect: ["webhook-tampered-refused"],
  proof: "The changed one is refused; the payment is shown as done all the same.",
};

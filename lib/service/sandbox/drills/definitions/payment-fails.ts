import type { Drill } from "../drill.ts";

/** A payment fails after it was made. */
export const paymentFails: Drill = {
  id: "payment-fails",
  title: "A payment fails after it was made",
  broken: "A payment whose amount ends in .11 fails at its settlement.",
  clauses: ["D13.7", "I.states-and-transitions.4"],
  interfaceSays: "Each status update of a transfer is announced; the record tells the status and why.",
  goodClient: "Reads the record after the webhook and shows the payment as failed.",
  steps: [
    {
      do: "Let your app pay 10.11 to an onboarded person from the business, and wait until it shows how that ended.",
    },
  ],
  expect: ["record-read-after-event", "webhook-accepted"],
  proof: "A read after the webhook; your app shows the payment as failed.",
};

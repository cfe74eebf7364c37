import type { Drill } from "../drill.ts";

/** A payment is refused with 503 for a moment. */
export const paymentSentAgain: Drill = {
  id: "payment-sent-again",
  title: "A payment is refused with 503 for a moment",
  broken: "The next request that makes a payment is answered with 503 and retry-after.",
  clauses: ["I.errors.3", "D5.12", "D13.8"],
  interfaceSays: "Any failure means that no routine was created; a failure never uses up the key.",
  goodClient:
    "Waits for as long as retry-after says and sends the payment again with the key that it had, or lets the person do so.",
  steps: [
    {
      call: {
        method: "PUT",
        path: "/sandbox/faults",
        body: {
          operation: "createBookRoutine",
          times: 1,
          status: 503,
        },
      },
    },
    {
      do: "Let your app pay an onboarded person from the business, and press its button to try again if it shows one.",
    },
  ],
  expect: ["routine-key-present"],
  proof: "One payment in the ledger. A retry by the app itself has the same key and comes after the pause.",
};

import type { Drill } from "../drill.ts";

/** A payment gets no answer in time. */
export const paymentUnanswered: Drill = {
  id: "payment-unanswered",
  title: "A payment gets no answer in time",
  broken: "The next payment is made, but its answer takes half a minute.",
  clauses: ["I.create-a-book-transfer-routine.6", "D13.8", "D13.10"],
  interfaceSays: "A retry with the same key is answered as the first request was.",
  goodClient:
    "Gives up waiting, keeps the key, and asks again by it, or looks for the payment; it never makes a second one.",
  steps: [
    {
      call: {
        method: "PUT",
        path: "/sandbox/faults",
        body: {
          operation: "createBookRoutine",
          times: 1,
          latency_ms: 30000,
        },
      },
    },
    {
      do: "Let your app pay an onboarded person from the business once, do nothing more, and look at the payment a minute later.",
    },
  ],
  expect: ["routine-key-present", "business-token-for-routines"],
  proof:
    "One payment in the ledger, and your app knows of it. Where your app sent it again, it did so with the same key.",
};

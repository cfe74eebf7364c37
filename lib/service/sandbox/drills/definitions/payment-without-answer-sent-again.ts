import type { Drill } from "../drill.ts";

/** A payment is sent again after silence. */
export const paymentWithoutAnswerSentAgain: Drill = {
  id: "payment-without-answer-sent-again",
  title: "A payment is sent again after silence",
  broken: "The next payment is made, but its answer takes half a minute, so that whoever retries sends it again.",
  clauses: ["D13.8"],
  interfaceSays: "Same key and same meaning: the first answer again, and no second payment.",
  goodClient: "Sends the very same payment again, with the very same key.",
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
      do: "Let your app pay an onboarded person from the business, and let it, or its job, send the payment again when no answer has come.",
    },
  ],
  expect: ["routine-key-on-retry"],
  proof: "Two requests with one key, and one payment in the ledger.",
};

import type { Drill } from "../drill.ts";

/** A webhook is sent again later. */
export const webhookSentAgain: Drill = {
  id: "webhook-sent-again",
  title: "A webhook is sent again later",
  broken: "A webhook that was taken is sent once more.",
  clauses: ["D14.3", "D16.7"],
  interfaceSays: "Its id stays the same.",
  goodClient: "Answers with success, and nothing changes.",
  steps: [
    {
      do: "Let your app pay an onboarded person from the business, a round amount such as 10.00, and wait until it shows the payment as done.",
    },
    {
      call: {
        method: "POST",
        path: "/sandbox/webhooks/{webhook_id}/redeliver",
      },
    },
  ],
  expect: ["webhook-duplicate-accepted"],
  proof: "The copy is taken.",
};

import type { Drill } from "../drill.ts";

/** The webhook secret is replaced. */
export const secretRotates: Drill = {
  id: "secret-rotates",
  title: "The webhook secret is replaced",
  broken: "A new secret is made, and the next webhook was still signed with the old one alone.",
  clauses: ["D14.2", "D16.7"],
  interfaceSays:
    "The old secret is valid for a day after the new one was made; webhooks bear both signatures meanwhile.",
  goodClient: "Holds both secrets and takes what is signed with either.",
  steps: [
    {
      call: {
        method: "POST",
        path: "/sandbox/webhook_endpoint/rotate",
      },
    },
    {
      do: "Give your app the new secret, and let it keep the old one as well.",
    },
    {
      call: {
        method: "PUT",
        path: "/sandbox/webhook_faults",
        body: {
          kind: "old_secret",
          times: 1,
        },
      },
    },
    {
      do: "Let your app pay an onboarded person from the business, a round amount such as 10.00, and wait until it shows the payment as done.",
    },
  ],
  expect: ["webhook-both-secrets"],
  proof: "Webhooks signed with both secrets, and with the old one alone, are taken.",
};

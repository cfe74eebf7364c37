import type { Drill } from "../drill.ts";

/** An ordinary day. */
export const ordinaryDay: Drill = {
  id: "ordinary-day",
  title: "An ordinary day",
  broken: "Nothing: it shows what a client does when all goes well.",
  clauses: ["I.authentication.3", "I.authentication.11", "D9.1", "D13.1"],
  interfaceSays:
    "A person is pre-registered by an intent, authorizes in the web module, and the code that comes back is exchanged for a pair; the business then pays.",
  goodClient:
    "Sends its own state and challenge with each visit, redeems the code once and at once, and gives each payment a key.",
  steps: [
    {
      do: "Let somebody sign up at your app, be onboarded with metadata that holds your own customer id, and authorize.",
    },
    {
      do: "Let your app pay an onboarded person from the business, a round amount such as 10.00, and wait until it shows the payment as done.",
    },
  ],
  expect: [
    "no-credentials-in-addresses",
    "state-present",
    "state-unguessable",
    "challenge-s256",
    "one-person-named",
    "visit-names-the-person",
    "code-exchanged-once",
    "code-exchanged-in-time",
    "code-same-redirect-uri",
    "code-verifier-sent",
    "session-token-per-visit",
    "session-token-in-time",
    "customer-answered",
    "customer-record-whole",
    "customer-time-exact",
    "webhook-accepted",
    "record-read-after-event",
    "routine-key-present",
    "routine-key-new",
    "business-token-for-routines",
    "no-sensitive-metadata",
    "customer-id-in-metadata",
  ],
  proof: "The person is connected and the payment is done, as the service says.",
};

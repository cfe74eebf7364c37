import { authorizationDrills } from "./authorization-drills.ts";
import { type Drill, payAndWait } from "./drill.ts";
import { paymentDrills } from "./payment-drills.ts";
import { tokenDrills } from "./token-drills.ts";
import { webhookDrills } from "./webhook-drills.ts";

const ordinaryDay: Drill = {
  id: "ordinary-day",
  title: "An ordinary day",
  broken: "Nothing: the happy path.",
  clauses: ["I.authentication.3", "I.authentication.11", "D9.1", "D13.1"],
  interfaceSays:
    "A person is pre-registered by an intent and authorizes in the web module, the code is exchanged for a pair, and the business then pays.",
  goodClient:
    "Sends its own state and challenge with each visit, redeems the code once and right away, and gives each payment its own key.",
  steps: [
    {
      do: "Sign a person up in your app, onboard them with metadata that includes your own customer id, and have them authorize.",
    },
    payAndWait,
  ],
  expect: [
    "no-credentials-in-addresses",
    "state-present",
    "state-unguessable",
    "challenge-s256",
    "challenge-never-repeated",
    "one-person-named",
    "visit-names-the-person",
    "code-exchanged-once",
    "code-exchanged-in-time",
    "code-same-redirect-uri",
    "code-verifier-sent",
    "session-token-present",
    "session-token-per-visit",
    "session-token-in-time",
    "customer-answered",
    "customer-record-whole",
    "customer-time-exact",
    "customer-time-past",
    "customer-matches",
    "webhook-accepted",
    "record-read-after-event",
    "routine-key-present",
    "routine-key-new",
    "business-token-for-routines",
    "no-sensitive-metadata",
    "customer-id-in-metadata",
    "requests-valid",
  ],
  proof: "The person is connected, and the service shows the payment as completed.",
};

/** In the order of the console and the docs. Decision D21 */
export const allDrills: readonly Drill[] = [
  ordinaryDay,
  ...tokenDrills,
  ...authorizationDrills,
  ...webhookDrills,
  ...paymentDrills,
];

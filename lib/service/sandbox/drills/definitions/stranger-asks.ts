import type { Drill } from "../drill.ts";

/** Strangers ask your customer endpoint. */
export const strangerAsks: Drill = {
  id: "stranger-asks",
  title: "Strangers ask your customer endpoint",
  broken:
    "The service asks about a customer who is nobody's, and about one of yours without the secret and with a wrong one.",
  clauses: ["I.get-v1-customers-{customer-id}.1", "D21.4"],
  interfaceSays: "The endpoint is there so that the service can retrieve customers.",
  goodClient: "Answers 404 about whom it does not know, and 401 to whoever does not have the secret.",
  steps: [
    {
      do: "Let somebody set out to authorize, so that the service knows one of your customers.",
    },
    {
      call: {
        method: "POST",
        path: "/sandbox/customer_probes",
        body: {},
      },
    },
  ],
  expect: ["customer-unknown-not-found", "customer-secret-required"],
  proof: "404, 401 and 401.",
};

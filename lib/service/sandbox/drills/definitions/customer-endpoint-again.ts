import type { Drill } from "../drill.ts";

/** The service asks about your customers again and again. */
export const customerEndpointAgain: Drill = {
  id: "customer-endpoint-again",
  title: "The service asks about your customers again and again",
  broken: "Nothing: three people set out to authorize, one after the other.",
  clauses: ["I.customer-record.5", "D11.2", "D21.3"],
  interfaceSays: "The record has five fields, and its time has milliseconds and is UTC.",
  goodClient: "Answers whole records, each within a second.",
  steps: [
    {
      do: "Let a person set out to authorize three times, and cancel each time.",
    },
  ],
  expect: ["customer-answered", "customer-within-a-second", "customer-record-whole", "customer-time-exact"],
  proof: "Each question is answered with a whole record, within a second.",
};

import type { Drill } from "../drill.ts";

/** A person disconnects. */
export const personDisconnects: Drill = {
  id: "person-disconnects",
  title: "A person disconnects",
  broken: "Nothing: a person ends the connection at your app.",
  clauses: ["D10.5", "D10.6"],
  interfaceSays: "Revocation with any live token ends every authorization of that user.",
  goodClient: "Revokes before it forgets, and uses none of the tokens afterwards.",
  steps: [
    {
      do: "Disconnect a person in your app, and let its jobs run.",
    },
  ],
  expect: ["revoke-on-disconnect", "nothing-after-revocation"],
  proof: "A revocation, and no call with those tokens after it.",
};

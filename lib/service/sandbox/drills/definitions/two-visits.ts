import type { Drill } from "../drill.ts";

/** One person authorizes in two tabs. */
export const twoVisits: Drill = {
  id: "two-visits",
  title: "One person authorizes in two tabs",
  broken: "Nothing: two visits are under way at once.",
  clauses: ["D9.1", "I.tokens-and-codes.4"],
  interfaceSays: "A verification token is used once; state comes back unchanged.",
  goodClient: "Mints a token and makes a state and a challenge for each visit.",
  steps: [
    {
      do: "Set out to authorize in two tabs at once, and authorize in both, the one that was opened first last.",
    },
  ],
  expect: ["state-never-repeated", "session-token-per-visit", "session-token-in-time"],
  proof: "Two visits with different states and tokens.",
};

import type { Drill } from "../drill.ts";

/** The answer to an authorization comes twice. */
export const codeComesTwice: Drill = {
  id: "code-comes-twice",
  title: "The answer to an authorization comes twice",
  broken: "Nothing: the person reloads the page to which they came back.",
  clauses: ["I.tokens-and-codes.1", "D10.2"],
  interfaceSays: "An authorization code is exchanged once; a valid second use ends what the first one brought.",
  goodClient: "Redeems the state once, so that a reload finds nothing to exchange.",
  steps: [
    {
      do: "Authorize a person, press back in the browser, and load the address with the code again.",
    },
  ],
  expect: ["code-exchanged-once"],
  proof: "One exchange, and the connection still works.",
};

import type { Drill } from "../drill.ts";

/** A new access token has come. */
export const newTokenEverywhere: Drill = {
  id: "new-token-everywhere",
  title: "A new access token has come",
  broken: "Access tokens end, so that a new pair must be got.",
  clauses: ["I.authentication.12", "I.tokens-and-codes.2"],
  interfaceSays: "Only one access token is valid at a time per user; the current one is used for all requests.",
  goodClient: "Every process reads the stored pair for each request.",
  steps: [
    {
      call: {
        method: "POST",
        path: "/sandbox/clock/advance",
        body: {
          seconds: 7300,
        },
      },
    },
    {
      do: "Open a page of your app, as a connected person, that shows accounts.",
    },
    {
      do: "Do something else with that person's connection a few seconds later, in each process that your app has.",
    },
  ],
  expect: ["current-access-token"],
  proof: "Calls with the new token alone are seen.",
};

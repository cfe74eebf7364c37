import type { Drill } from "../drill.ts";

/** An access token reaches its end. */
export const accessTokenEnds: Drill = {
  id: "access-token-ends",
  title: "An access token reaches its end",
  broken: "The client's clock moves past the life of every access token.",
  clauses: ["I.authentication.7", "I.authentication.13"],
  interfaceSays: "An expired access token is replaced through refresh.",
  goodClient: "Refreshes once, because the computed expiry has come or because a call was refused, and goes on.",
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
  ],
  expect: ["refresh-only-when-needed"],
  proof: "Accounts are shown; one refresh is seen, and it was needed.",
};

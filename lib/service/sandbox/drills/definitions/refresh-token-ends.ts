import type { Drill } from "../drill.ts";

/** A refresh token reaches its end. */
export const refreshTokenEnds: Drill = {
  id: "refresh-token-ends",
  title: "A refresh token reaches its end",
  broken: "The client's clock moves on by eleven days, past the end of every refresh token.",
  clauses: ["I.states-and-transitions.6", "I.authentication.7"],
  interfaceSays: "When the refresh token has expired, the end-user must authorize again.",
  goodClient: "Asks the token endpoint once at most, forgets the pair and leads the person to the authorization pages.",
  steps: [
    {
      do: "Connect a person, and do not move the clock of your app.",
    },
    {
      call: {
        method: "POST",
        path: "/sandbox/clock/advance",
        body: {
          seconds: 950400,
        },
      },
    },
    {
      do: "Open a page of your app, as a connected person, that shows accounts.",
    },
    {
      do: "Follow what your app offers, and authorize again.",
    },
  ],
  expect: ["expired-refresh-token"],
  proof: "One refused refresh, then a visit of the same person and a new pair.",
};

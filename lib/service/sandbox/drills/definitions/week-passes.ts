import type { Drill } from "../drill.ts";

/** A week passes without anybody. */
export const weekPasses: Drill = {
  id: "week-passes",
  title: "A week passes without anybody",
  broken: "The client's clock moves on by seven days.",
  clauses: ["I.authentication.14"],
  interfaceSays:
    "A new refresh token is obtained for every token periodically, weekly for example, inside its ten days.",
  goodClient: "Has a job that renews each stored pair once a week, whether anybody uses it or not.",
  steps: [
    {
      call: {
        method: "POST",
        path: "/sandbox/clock/advance",
        body: {
          seconds: 604800,
        },
      },
    },
    {
      do: "Let the job of your app run that renews tokens. If your app has a clock of its own, move it on by a week as well.",
    },
  ],
  expect: ["renew-inside-ten-days"],
  proof: "A refresh of a pair that nobody had used for days.",
};

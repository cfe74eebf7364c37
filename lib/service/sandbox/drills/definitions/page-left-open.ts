import type { Drill } from "../drill.ts";

/** A page with a link to authorize is left open. */
export const pageLeftOpen: Drill = {
  id: "page-left-open",
  title: "A page with a link to authorize is left open",
  broken:
    "The client's clock moves on by two minutes while the page stands open, longer than a verification token lives.",
  clauses: ["I.tokens-and-codes.4", "I.limits.7"],
  interfaceSays: "The verification token is valid one minute.",
  goodClient: "Mints the token when the person sets out, and not when the page is drawn.",
  steps: [
    {
      do: "Open the page of your app from which a person sets out, and leave it open for some seconds.",
    },
    {
      call: {
        method: "POST",
        path: "/sandbox/clock/advance",
        body: {
          seconds: 120,
        },
      },
    },
    {
      do: "Now set out.",
    },
  ],
  expect: ["session-token-in-time"],
  proof: "The visit opens at the first try.",
};

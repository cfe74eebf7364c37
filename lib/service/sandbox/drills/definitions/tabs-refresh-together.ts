import type { Drill } from "../drill.ts";

/** Two tabs need a refresh at the same moment. */
export const tabsRefreshTogether: Drill = {
  id: "tabs-refresh-together",
  title: "Two tabs need a refresh at the same moment",
  broken: "Access tokens end, and the token endpoint takes a second and a half for each answer.",
  clauses: ["I.authentication.13", "D10.3"],
  interfaceSays: "Refreshing races between near-simultaneous requests, so refreshes are serialized per user.",
  goodClient: "One of the two refreshes; the other waits for it and uses what it brought.",
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
      call: {
        method: "PUT",
        path: "/sandbox/faults",
        body: {
          operation: "issueTokens",
          times: 4,
          latency_ms: 1500,
        },
      },
    },
    {
      do: "Open a page that shows accounts in two tabs at once, as one person.",
    },
  ],
  expect: ["refresh-one-at-a-time"],
  proof: "Both tabs show accounts; no two refreshes with one token overlap.",
};

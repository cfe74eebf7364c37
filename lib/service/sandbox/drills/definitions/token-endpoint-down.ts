import type { Drill } from "../drill.ts";

/** The token endpoint is not there for a moment. */
export const tokenEndpointDown: Drill = {
  id: "token-endpoint-down",
  title: "The token endpoint is not there for a moment",
  broken: "The next three requests for tokens are answered with 503, when access tokens have ended.",
  clauses: ["I.authentication.7", "D5.12"],
  interfaceSays: "A refresh token may be used until it expires; what was refused for a moment is not refused for good.",
  goodClient:
    "Waits for as long as retry-after says, tries a few times, keeps the pair, and says that the service cannot be reached.",
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
          times: 3,
          status: 503,
        },
      },
    },
    {
      do: "Open a page of your app, as a connected person, that shows accounts.",
    },
    {
      do: "Look again half a minute later.",
    },
  ],
  expect: ["retries-bounded"],
  proof: "A few tries with pauses, then a refresh that succeeds; the person need not authorize again.",
};

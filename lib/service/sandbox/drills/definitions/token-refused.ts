import type { Drill } from "../drill.ts";

/** A call is refused with token_expired. */
export const tokenRefused: Drill = {
  id: "token-refused",
  title: "A call is refused with token_expired",
  broken: "The next call of the accounts is refused as if the access token had expired, though no clock says so.",
  clauses: ["I.errors.1", "D5.5"],
  interfaceSays: "Using an expired access token produces a token-expired error; the client must refresh and retry.",
  goodClient: "Believes the error and not its own clock: one refresh, then the same call again.",
  steps: [
    {
      call: {
        method: "PUT",
        path: "/sandbox/faults",
        body: {
          operation: "listAccounts",
          times: 1,
          status: 401,
        },
      },
    },
    {
      do: "Open a page of your app, as a connected person, that shows accounts.",
    },
  ],
  expect: ["refresh-then-repeat", "refresh-only-when-needed"],
  proof: "Accounts are shown, by the second call, with a new access token.",
};

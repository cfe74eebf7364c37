import type { Drill } from "../drill.ts";

/** The service asks to wait. */
export const askedToWait: Drill = {
  id: "asked-to-wait",
  title: "The service asks to wait",
  broken: "The next two calls of the accounts are answered with 429 and retry-after.",
  clauses: ["D5.11", "D17.1"],
  interfaceSays: "429 comes with retry-after.",
  goodClient: "Waits for as long as it says, or says that it could not be read and lets the person ask again.",
  steps: [
    {
      call: {
        method: "PUT",
        path: "/sandbox/faults",
        body: {
          operation: "listAccounts",
          times: 2,
          status: 429,
        },
      },
    },
    {
      do: "Open a page of your app, as a connected person, that shows accounts.",
    },
    {
      do: "Look again some seconds later.",
    },
  ],
  expect: ["retry-after-obeyed"],
  proof: "The call is seen again, after the pause.",
};

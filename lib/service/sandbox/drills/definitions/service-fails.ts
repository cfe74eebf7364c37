import type { Drill } from "../drill.ts";

/** The service fails for a while. */
export const serviceFails: Drill = {
  id: "service-fails",
  title: "The service fails for a while",
  broken: "The next thirty calls that list routines are answered with 500.",
  clauses: ["D5.12"],
  interfaceSays: "A failure says nothing about the next try.",
  goodClient:
    "Tries a few times with growing pauses, shows what it does not know as unknown, and comes back by itself.",
  steps: [
    {
      call: {
        method: "PUT",
        path: "/sandbox/faults",
        body: {
          operation: "listRoutines",
          times: 30,
          status: 500,
        },
      },
    },
    {
      do: "Open a page that lists payments, wait half a minute, and look again.",
    },
    {
      call: {
        method: "DELETE",
        path: "/sandbox/faults",
      },
    },
  ],
  expect: ["retries-bounded"],
  proof: "No more than twenty tries within any ten seconds.",
};

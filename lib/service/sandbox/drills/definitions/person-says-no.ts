import type { Drill } from "../drill.ts";

/** A person says no. */
export const personSaysNo: Drill = {
  id: "person-says-no",
  title: "A person says no",
  broken: "Nothing: the person cancels.",
  clauses: ["D9.3", "D9.5"],
  interfaceSays: "Cancel returns access_denied to the redirect_uri.",
  goodClient: "Shows a page that offers to try again; exchanges nothing and sends nobody back by itself.",
  steps: [
    {
      do: "Set out to authorize, press Cancel on the page of the service, and look at what your app shows.",
    },
  ],
  expect: ["denied-consent-ends"],
  proof: "A cancelled visit, and nothing after it until the person decides.",
};

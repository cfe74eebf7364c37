import type { Examples } from "../testing/example-events.ts";

/** Stories of where credentials stand. */
export const examples: Examples = {
  kept: {
    "in the header": (story) => {
      story.read(story.connect());
    },
  },
  broken: {
    "in the query": (story) => {
      story.call("listAccounts", { authorization: "bearer", has_credential_in_url: true });
    },
    "in the query alone": (story) => {
      story.call("listAccounts", { has_credential_in_url: true }, { status: 401, reason: "missing_token" });
    },
  },
  notSeen: {
    "nobody calls": () => {},
    "calls without credentials": (story) => {
      story.call("describeAuthorizationServer");
    },
  },
  nearMisses: {
    "the session token in the address of a visit, as published": (story) => {
      story.open({ session_token: story.mint() });
    },
  },
};

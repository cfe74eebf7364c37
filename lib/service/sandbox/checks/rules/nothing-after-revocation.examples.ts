import type { Examples } from "../testing/example-events.ts";

/** Stories of what follows a revocation. */
export const examples: Examples = {
  kept: {
    "nothing more": (story) => {
      const pair = story.connect();
      story.call("revokeToken", { revoked_token: pair.refresh });
    },
    "a new authorization": (story) => {
      const pair = story.connect();
      story.call("revokeToken", { revoked_token: pair.access });
      story.wait(5000);
      story.read(story.connect());
    },
  },
  broken: {
    "a job goes on with the access token": (story) => {
      const pair = story.connect();
      story.call("revokeToken", { revoked_token: pair.refresh });
      story.wait(2500);
      story.read(pair, { status: 401, reason: "invalid_token" });
    },
    "a job refreshes": (story) => {
      const pair = story.connect();
      story.call("revokeToken", { revoked_token: pair.refresh });
      story.wait(2500);
      story.refresh(pair, { status: 400 });
    },
  },
  notSeen: {
    "nobody revokes": (story) => {
      story.read(story.connect());
    },
    "a revocation that was refused": (story) => {
      const pair = story.connect();
      story.call("revokeToken", { revoked_token: pair.refresh }, { status: 503 });
      story.wait(2500);
      story.read(pair);
    },
  },
  nearMisses: {
    "a call that was under way": (story) => {
      const pair = story.connect();
      story.call("revokeToken", { revoked_token: pair.refresh });
      story.wait(100);
      story.read(pair, { status: 401, reason: "invalid_token" });
    },
    "another user": (story) => {
      const [ada, grace] = [story.connect("ada"), story.connect("grace")];
      story.call("revokeToken", { revoked_token: ada.refresh });
      story.wait(5000);
      story.read(grace);
    },
    "the revocation is repeated": (story) => {
      const pair = story.connect();
      story.call("revokeToken", { revoked_token: pair.refresh });
      story.wait(5000);
      story.call("revokeToken", { revoked_token: pair.refresh });
    },
  },
};

import type { Examples } from "../testing/example-events.ts";

/** Stories of refreshes at the same time. */
export const examples: Examples = {
  kept: {
    "one refresh": (story) => {
      const pair = story.connect();
      story.jump(7300);
      story.refresh(pair);
    },
    "one after the other": (story) => {
      const pair = story.connect();
      story.jump(7300);
      story.refresh(pair);
      story.refresh(pair);
    },
  },
  broken: {
    "two at once": (story) => {
      const pair = story.connect();
      story.refresh(pair, { isAside: true });
      story.wait(3);
      story.refresh(pair);
    },
    "two at once while the service is slow": (story) => {
      const pair = story.connect();
      story.refresh(pair, { isAside: true, took: 3000, facts: { is_faulted: true } });
      story.wait(200);
      story.refresh(pair);
    },
  },
  notSeen: {
    "nobody refreshes": (story) => {
      story.read(story.connect());
    },
  },
  nearMisses: {
    "two users at once": (story) => {
      const [ada, grace] = [story.connect("ada"), story.connect("grace")];
      story.refresh(ada, { isAside: true });
      story.refresh(grace);
    },
    "again, after the client has waited long enough for the first": (story) => {
      const pair = story.connect();
      story.refresh(pair, { isAside: true, took: 30_000 });
      story.wait(5000);
      story.refresh(pair);
    },
    "again at once after a connection that was cut": (story) => {
      const pair = story.connect();
      story.refresh(pair, { took: 2, facts: { is_faulted: true } });
      story.refresh(pair);
    },
  },
};

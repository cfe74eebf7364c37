import type { Examples } from "../testing/example-events.ts";

/** Stories of people who say no. */
export const examples: Examples = {
  kept: {
    "nothing follows": (story) => {
      const { visit, visitId } = story.open({ user_id: "ada" });
      story.visit("cancelled", visit.facts, visitId);
    },
    "the person tries again": (story) => {
      const { visit, visitId } = story.open({ user_id: "ada" });
      story.visit("cancelled", visit.facts, visitId);
      story.wait(4000);
      story.connect("ada");
    },
  },
  broken: {
    "an exchange of no code": (story) => {
      const { visit, visitId } = story.open({ user_id: "ada" });
      story.visit("cancelled", visit.facts, visitId);
      story.exchange(null, { status: 400 });
    },
    "an exchange of the text undefined": (story) => {
      const { visit, visitId } = story.open({ user_id: "ada" });
      story.visit("cancelled", visit.facts, visitId);
      story.exchange("undefined", { status: 400 });
    },
    "sent back to the pages each time": (story) => {
      for (let round = 0; round < 3; round++) {
        const { visit, visitId } = story.open({ user_id: "ada" });
        story.wait(3000);
        story.visit("cancelled", visit.facts, visitId);
        story.wait(100);
      }
    },
  },
  notSeen: {
    "nobody says no": (story) => {
      story.connect();
    },
  },
  nearMisses: {
    "another tab's code is exchanged": (story) => {
      const code = story.authorize({ user_id: "ada" });
      const { visit, visitId } = story.open({ user_id: "ada" });
      story.visit("cancelled", visit.facts, visitId);
      story.exchange(code);
    },
    "somebody else arrives in that moment": (story) => {
      for (let round = 0; round < 3; round++) {
        const { visit, visitId } = story.open({ user_id: `person ${round}` });
        story.visit("cancelled", visit.facts, visitId);
      }
    },
    "the service's clock is set back a little while a page is open": (story) => {
      for (let round = 0; round < 3; round++) {
        const { visit, visitId } = story.open({ user_id: "ada" });
        story.wait(-50);
        story.visit("cancelled", visit.facts, visitId);
        story.wait(3000);
      }
    },
    "a quick person tries again once": (story) => {
      const { visit, visitId } = story.open({ user_id: "ada" });
      story.visit("cancelled", visit.facts, visitId);
      story.wait(300);
      story.connect("ada");
    },
  },
};

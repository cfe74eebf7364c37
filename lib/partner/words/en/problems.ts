import { brandName } from "../../../../brand/name.ts";

/** Problems that any form can have. */
export const problems = {
  notLoadedTitle: `${brandName} didn't answer`,
  notLoaded: "Nothing was sent. Please check your internet connection and try again.",
  outOfDate: "This page is out of date. Please reload it.",
  otherAccountTitle: "You're signed in as {name} now",
  otherAccount:
    "This page is for another account, so nothing was sent. To send it, sign in with that account in another tab, then try again here.",
  noContactTitle: `We can't reach ${brandName} right now`,
  noContact: "This page shows the latest we have. We'll keep trying.",
  noAnswerTitle: "We didn't get an answer",
  noAnswer:
    "We don't know whether this arrived. What you typed is still here. Please send it again in a moment: nothing is done twice.",
} as const;

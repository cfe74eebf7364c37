import { decisionOf, type Unsuccessful } from "#client";

/** Every way in which coming back from the service can fail; each has a page with one way forward. */
export const callbackProblems = [
  "denied",
  "expired_code",
  "unknown_attempt",
  "missing_state",
  "wrong_issuer",
  "other_person",
  "other_user",
  "unavailable",
  "not_now",
  "not_understood",
  "failed",
] as const;
export type CallbackProblem = (typeof callbackProblems)[number];

/** Whether the text is one of ours: it comes back from an address, where anybody can write anything. */
export function isCallbackProblem(text: unknown): text is CallbackProblem {
  return callbackProblems.some((problem) => problem === text);
}

/** What to tell of an answer that cannot be worked with; that the service did not answer is said only where nothing came. */
export function problemOfAnswer(answer: Unsuccessful): CallbackProblem {
  if (answer.kind === "unreachable") return "unavailable";
  if (answer.kind === "unreadable") return "not_understood";
  return decisionOf(answer) === "definite" ? "failed" : "not_now";
}

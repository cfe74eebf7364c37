/** Every way in which coming back from the service can fail; each has a page with one way forward. */
export const callbackProblems = [
  "denied",
  "expired_code",
  "unknown_attempt",
  "wrong_issuer",
  "other_person",
  "other_user",
  "unavailable",
  "failed",
] as const;
export type CallbackProblem = (typeof callbackProblems)[number];

/** Whether the text is one of ours: it comes back from an address, where anybody can write anything. */
export function isCallbackProblem(text: unknown): text is CallbackProblem {
  return callbackProblems.some((problem) => problem === text);
}

import { type FormState, problemAt } from "../requests/form-state.ts";
import type { TooMany } from "./attempt-limits.ts";

/** What somebody reads who has tried too often. */
export function tooManyAttempts(field: string, { retryAfterSeconds }: TooMany): FormState {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const wait = minutes > 90 ? `${Math.ceil(minutes / 60)} hours` : minutes > 1 ? `${minutes} minutes` : "a minute";
  return {
    ...problemAt(field, `You have tried too many times. Please try again in ${wait}.`),
    title: "Please wait before you try again",
  };
}

import type * as z from "zod/mini";
import type { FieldProblem } from "../../contract/errors.ts";
import type { TooMany } from "./attempt-limits.ts";

/** What a form hears back: which fields to look at. Never what was typed, which may hold a password or an ssn. */
export type FormState = { problems: FieldProblem[] };

/** The first problem of each field, in the order of the schema. */
export function problemsOf(error: z.core.$ZodError): FieldProblem[] {
  const byField = new Map<string, string>();
  for (const { path, message } of error.issues) {
    const field = path.join(".");
    if (!byField.has(field)) byField.set(field, message);
  }
  return [...byField].map(([field, message]) => ({ field, message }));
}

/** One problem, at the field where the person should look. */
export function problemAt(field: string, message: string): FormState {
  return { problems: [{ field, message }] };
}

/** What somebody reads who has tried too often. */
export function tooManyAttempts(field: string, { retryAfterSeconds }: TooMany): FormState {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const wait = minutes > 90 ? `${Math.ceil(minutes / 60)} hours` : minutes > 1 ? `${minutes} minutes` : "a minute";
  return problemAt(field, `That was too often. Please try again in ${wait}.`);
}

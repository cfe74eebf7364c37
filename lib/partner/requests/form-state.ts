import type * as z from "zod/mini";
import type { FieldProblem } from "../../contract/errors.ts";

/**
 * What a form hears back, whichever form it is. Never what was typed, which may hold a password or an ssn.
 * `problems`: what to look at, by the contract's field names (`metadata.0.key`), or `form` for what no field can mend.
 */
export type FormState = {
  problems: FieldProblem[];
  /** What happened, as the heading over the problems; without one the heading counts the answers to look at. */
  title?: string;
  /** What is told is that something is not known yet, which is neither a mistake nor a failure. */
  isUnknown?: boolean;
  /** Where a problem is dealt with, when that is not in this form. */
  link?: { href: string; label: string };
  /** What has been done, where the form stays in view. */
  news?: string;
};

/** What a form's action answers: what the form shows, or where the browser goes next. */
export type ActionResult = FormState | { redirectTo: string };

/** A form that has not been sent yet. */
export const unsentForm: FormState = { problems: [] };

/** What was sent, as the schema understands it, or which fields to look at. A form's fields come as texts. */
export function parseForm<Schema extends z.ZodMiniType>(
  schema: Schema,
  sent: unknown,
): { kind: "ok"; values: z.output<Schema> } | { kind: "problem"; form: FormState } {
  const parsed = schema.safeParse(sent instanceof FormData ? Object.fromEntries(sent) : sent);
  if (parsed.success) return { kind: "ok", values: parsed.data };
  return { kind: "problem", form: { problems: problemsOf(parsed.error) } };
}

/** The first problem of each field, in the order of the schema. */
export function problemsOf(error: z.core.$ZodError): FieldProblem[] {
  const byField = new Map<string, string>();
  for (const { path, message } of error.issues) {
    const field = path.join(".") || "form";
    if (!byField.has(field)) byField.set(field, message);
  }
  return [...byField].map(([field, message]) => ({ field, message }));
}

/** One problem, at the field where the person should look, or at `form`. */
export function problemAt(field: string, message: string): FormState {
  return { problems: [{ field, message }] };
}

/** What no field can mend, under a heading that says what happened. */
export function troubleOf(title: string, message: string): FormState {
  return { ...problemAt("form", message), title };
}

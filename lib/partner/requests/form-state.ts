import type * as z from "zod/mini";
import type { FieldProblem } from "../../contract/errors.ts";

/**
 * What a form shows after it was sent. Never contains what was typed, which can be a password or an ssn. `problems`:
 * keyed by the contract's field names (`metadata.0.key`), or `form` for the whole form.
 */
export type FormState = {
  problems: FieldProblem[];
  /** The heading over the problems; by default it counts the answers to fix. */
  title?: string;
  /** The outcome isn't known yet; neither a mistake nor a failure. */
  isUnknown?: boolean;
  /** Where to fix a problem that can't be fixed in this form. */
  link?: { href: string; label: string };
  /** What was done, for a form that stays visible. */
  notice?: string;
};

/** The result of a form's action: what the form shows, or where the browser goes next. */
export type ActionResult = FormState | { redirectTo: string };

export const unsentForm: FormState = { problems: [] };

/** Checks submitted form data, or an object, against a schema. */
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

/** One problem, at a field or at `form`. */
export function problemAt(field: string, message: string, more: Omit<FormState, "problems"> = {}): FormState {
  return { problems: [{ field, message }], ...more };
}

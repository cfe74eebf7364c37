import type { FieldProblem } from "#lib/contract/errors.ts";

/** What react-hook-form found at a field and below it, as problems with the contract's names: `metadata.0.key`. */
export function problemsOfErrors(errors: unknown, field = ""): FieldProblem[] {
  if (typeof errors !== "object" || errors === null) return [];
  if ("message" in errors && typeof errors.message === "string") return [{ field, message: errors.message }];
  return Object.entries(errors).flatMap(([name, below]) => {
    // `root` is where it keeps what is wrong with a list as a whole.
    if (name === "root") return problemsOfErrors(below, field);
    return problemsOfErrors(below, field ? `${field}.${name}` : name);
  });
}

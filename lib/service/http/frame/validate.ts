import type * as z from "zod/mini";
import type { FieldProblem } from "../../../contract/errors.ts";
import { refuseFields, ServiceError } from "./refusal.ts";

// Enough to correct a whole form at once, and no more for a body of nothing but unknown fields.
const problemsMax = 50;

/** The value as the schema understands it. Throws validation_failed naming every field that does not fit, and never its value. */
export function requireValid<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => problemsOf(issue, value));
  throw new ServiceError(refuseFields(problems.slice(0, problemsMax)));
}

function problemsOf(issue: z.core.$ZodIssue, root: unknown): FieldProblem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ field: [...issue.path, key].join("."), message: "This field is not known." }));
  }
  return [{ field: issue.path.join("."), message: messageOf(issue, root) }];
}

function messageOf(issue: z.core.$ZodIssue, root: unknown): string {
  if (issue.code !== "custom" && valueAt(root, issue.path) === undefined) return "This field is required.";
  // What zod/mini says when nothing better was written.
  if (issue.message !== "Invalid input") return issue.message;
  if (issue.code === "invalid_type")
    return `Must be of type ${issue.expected === "record" ? "object" : issue.expected}.`;
  if (issue.code === "too_small") return `Has at least ${issue.minimum}.`;
  if (issue.code === "too_big") return `Has at most ${issue.maximum}.`;
  if (issue.code === "invalid_value") return `Must be one of ${issue.values.map(String).join(", ")}.`;
  return "Does not have the expected form.";
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  return value;
}

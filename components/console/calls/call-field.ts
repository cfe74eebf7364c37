/**
 * One answer of a form that makes a call. `name` is its place in the body, with dots for what lies within another
 * (`rejection_reasons.0.code`). An empty answer is left out, unless it is one of `lines`.
 */
export type CallField = {
  name: string;
  label: string;
  kind: "text" | "number" | "choice" | "yes_or_no" | "lines";
  choices?: readonly (readonly [value: string, name: string])[];
  initial?: string;
  hint?: string;
  isOptional?: boolean;
  /** Asked only when another answer is this one, and left out otherwise. */
  onlyWith?: { name: string; value: string };
};

/** The fields that are asked, as the others are answered. */
export function askedOf(fields: readonly CallField[], answers: ReadonlyMap<string, string>): CallField[] {
  return fields.filter(({ onlyWith }) => !onlyWith || answers.get(onlyWith.name) === onlyWith.value);
}

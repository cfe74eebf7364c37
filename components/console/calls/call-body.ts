type Body = Record<string, unknown>;

/** The body of a call: what is fixed, and the answers of its form, each at its place and of its kind. */
export function bodyOfCall(
  fixed: Body | undefined,
  fields: readonly CallField[],
  answers: ReadonlyMap<string, string>,
): Body | undefined {
  if (fixed === undefined && fields.length === 0) return undefined;
  const body: Body = structuredClone(fixed ?? {});
  for (const field of askedOf(fields, answers)) {
    const value = valueOfAnswer(field, answers.get(field.name) ?? "");
    if (value !== undefined) put(body, field.name.split("."), value);
  }
  return body;
}

function valueOfAnswer({ kind }: CallField, answer: string): unknown {
  const text = answer.trim();
  if (kind === "lines") return text.split(/\s+/).filter((line) => line !== "");
  if (text === "") return undefined;
  if (kind === "yes_or_no") return text === "yes";
  // What is no number goes as it is: the service says best what is wrong with it.
  return kind === "number" && Number.isFinite(Number(text)) ? Number(text) : text;
}

// A figure in a place stands for an item of a list.
function put(within: Body, [name = "", ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    within[name] = value;
    return;
  }
  within[name] ??= /^\d+$/.test(rest[0] ?? "") ? [] : {};
  put(within[name] as Body, rest, value);
}

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

type Body = Record<string, unknown>;

export function buildCallBody(
  fixed: Body | undefined,
  fields: readonly CallField[],
  answers: ReadonlyMap<string, string>,
): Body | undefined {
  if (fixed === undefined && fields.length === 0) return undefined;
  const body: Body = structuredClone(fixed ?? {});
  for (const field of visibleFields(fields, answers)) {
    const value = fieldValue(field, answers.get(field.name) ?? "");
    if (value !== undefined) setPath(body, field.name.split("."), value);
  }
  return body;
}

function fieldValue({ kind }: CallField, answer: string): unknown {
  const text = answer.trim();
  if (kind === "lines") return text.split(/\s+/).filter((line) => line !== "");
  if (text === "") return undefined;
  if (kind === "yes_or_no") return text === "yes";
  if (kind === "time") return isoTime(text) ?? text;
  // Invalid numbers and times are sent as is; the service's error explains them.
  return kind === "number" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** A `datetime-local` value read as UTC, as the service writes times. */
function isoTime(text: string): string | undefined {
  const time = new Date(`${text}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

// A numeric path segment is a list index.
function setPath(within: Body, [name = "", ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    within[name] = value;
    return;
  }
  within[name] ??= /^\d+$/.test(rest[0] ?? "") ? [] : {};
  setPath(within[name] as Body, rest, value);
}

/**
 * A form field of a call. `name` is a dotted path in the body (`rejection_reasons.0.code`). Empty values are left out, except
 * for `lines`. A `time` is in UTC, to the minute.
 */
export type CallField = {
  name: string;
  label: string;
  kind: "text" | "number" | "choice" | "yes_or_no" | "lines" | "time";
  choices?: readonly (readonly [value: string, name: string])[];
  initial?: string;
  hint?: string;
  isOptional?: boolean;
  /** Shown and sent only when the named field has this value. */
  onlyWith?: { name: string; value: string };
};

/** Each field's typed value, or its initial one: also if a refresh no longer offers the typed choice. */
export function answersOf(
  fields: readonly CallField[],
  typed: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const answerOf = ({ name, choices, initial = "" }: CallField) => {
    const answer = typed.get(name);
    return answer === undefined || choices?.every(([choice]) => choice !== answer) ? initial : answer;
  };
  return new Map(fields.map((field) => [field.name, answerOf(field)]));
}

export function visibleFields(fields: readonly CallField[], answers: ReadonlyMap<string, string>): CallField[] {
  return fields.filter(({ onlyWith }) => !onlyWith || answers.get(onlyWith.name) === onlyWith.value);
}

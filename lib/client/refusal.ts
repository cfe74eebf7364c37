import type { FieldProblem, Refused } from "./answer.ts";

// Error bodies are not published. Ours (Decision D5), RFC 6749, RFC 9457 and the usual others are understood; without any of
// these names the status alone must do.
const reasonNames = ["reason", "error", "error_code", "code", "type"];
const descriptionNames = ["description", "error_description", "message", "detail", "title"];

const sentenceCharactersMax = 300;

/** What can be read of an answer that is no success; `text` is its body as it came, which may be a plain sentence. */
export function readRefusal(body: unknown, text: string): Pick<Refused, "reason" | "description" | "errors"> {
  const places = [body, fieldOf(body, "error"), fieldOf(body, "errors"), firstOf(fieldOf(body, "errors"))];
  return {
    reason: firstText(places, reasonNames) ?? "unknown",
    description: firstText(places, descriptionNames) ?? (body === undefined ? sentenceIn(text) : ""),
    errors: readErrors(fieldOf(body, "errors")),
  };
}

// A page of HTML is none.
function sentenceIn(text: string): string {
  const sentence = text.trim();
  return sentence.length <= sentenceCharactersMax && !sentence.startsWith("<") ? sentence : "";
}

function firstText(places: unknown[], names: string[]): string | undefined {
  const values = places.flatMap((place) => names.map((name) => fieldOf(place, name)));
  return values.find((value) => typeof value === "string" && value !== "") as string | undefined;
}

function readErrors(errors: unknown): FieldProblem[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error) => {
    const [field, message] = [fieldOf(error, "field"), fieldOf(error, "message")];
    return typeof field === "string" && typeof message === "string" ? [{ field, message }] : [];
  });
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

// The only fields whose text may be logged: fixed values and developer messages, not secrets or personal data.
const shownNames =
  /^(status|state|type|kind|currency|reason|error|error_code|title|detail|message|description|error_description|webhook_type|.*_at)$/;
const charactersMax = 300;
const textCharactersMax = 120;

/**
 * Summarizes an answer for the log in at most 300 characters: the field names of a JSON body with the values that can hold
 * neither a secret nor personal data, or the start of any other body.
 */
export function excerptOf(text: string, body: unknown): string {
  return (body === undefined ? masked(text) : (JSON.stringify(shapeOf(body, 0)) ?? "")).slice(0, charactersMax);
}

/** Masks anything that looks like a number, an email address or a token, and shortens the text for the log. */
export function masked(text: string): string {
  return (
    text
      .slice(0, charactersMax)
      .replaceAll(/\S+@\S+/g, "…")
      // At least 20 characters, or at least 8 with a digit.
      .replaceAll(/[\w+/=.-]{20,}|(?=[\w+/=.-]*\d)[\w+/=.-]{8,}/g, "…")
      .replaceAll(/\+?\d[\d -]{2,}\d/g, "…")
      .slice(0, textCharactersMax)
  );
}

function shapeOf(value: unknown, depth: number, isShown = false): unknown {
  if (typeof value === "string") return isShown ? masked(value) : `text of ${value.length}`;
  if (typeof value === "number") return "number";
  if (typeof value !== "object" || value === null) return value;
  if (depth > 3) return "…";
  if (Array.isArray(value)) return value.slice(0, 2).map((item) => shapeOf(item, depth + 1, isShown));
  // A refusal names a refused field; elsewhere a name is an account's, a payment's or a person's.
  const isShownHere = (key: string) => shownNames.test(key) || (key === "name" && "reason" in value);
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 20)
      .map(([key, item]) => [masked(key), shapeOf(item, depth + 1, isShownHere(key))]),
  );
}

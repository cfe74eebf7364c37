// The only names whose texts may be shown: they are words of a vocabulary or for developers, never a secret or a person's.
const shownNames =
  /^(status|state|type|kind|currency|reason|error|error_code|name|title|detail|message|description|error_description|webhook_type|.*_at)$/;
const charactersMax = 300;
const textCharactersMax = 120;

/**
 * The beginning of an answer for the log: the names that a JSON body has, and the values of those that can hold neither a
 * secret nor personal data. Of any other body its first words. At most 300 characters.
 */
export function excerptOf(text: string, body: unknown): string {
  return (body === undefined ? masked(text) : (JSON.stringify(shapeOf(body, 0)) ?? "")).slice(0, charactersMax);
}

/** A sentence of the other side for the log: whatever looks like a number, an address or a token is masked. */
export function masked(text: string): string {
  return (
    text
      .slice(0, charactersMax)
      .replaceAll(/\S+@\S+/g, "…")
      // Long, or of some length with a digit in it.
      .replaceAll(/[\w+/=.-]{20,}|(?=[\w+/=.-]*\d)[\w+/=.-]{8,}/g, "…")
      .replaceAll(/\+?\d[\d -]{2,}\d/g, "…")
      .slice(0, textCharactersMax)
  );
}

function shapeOf(value: unknown, depth: number, name = ""): unknown {
  if (typeof value === "string") return shownNames.test(name) ? masked(value) : `text of ${value.length}`;
  if (typeof value === "number") return "number";
  if (typeof value !== "object" || value === null) return value;
  if (depth > 3) return "…";
  if (Array.isArray(value)) return value.slice(0, 2).map((item) => shapeOf(item, depth + 1, name));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 20)
      .map(([key, item]) => [masked(key), shapeOf(item, depth + 1, key)]),
  );
}

/** A JSON object's fields; empty for anything else. */
export function fieldsOf(json: unknown): Record<string, unknown> {
  return typeof json === "object" && json !== null && !Array.isArray(json) ? { ...json } : {};
}

const depthMax = 3;

/**
 * The first text with one of these names at any depth: only field names are published. Earlier names take precedence.
 */
export function findText(json: unknown, names: string[]): string | undefined {
  for (const name of names) {
    for (const object of objectsWithin(json)) {
      const value = object[name];
      if (typeof value === "string" && value !== "") return value;
      if (typeof value === "number") return String(value);
    }
  }
  return undefined;
}

const accountLists = /account|instrument/i;
const wrappers = new Set(["data", "items", "results"]);

/** The payment instruments in an answer: the answer itself, or a list named after them, or a common wrapper's list. */
export function findAccounts(json: unknown): Record<string, unknown>[] | undefined {
  if (Array.isArray(json)) return json.map(fieldsOf);
  const lists = objectsWithin(json).flatMap((object) =>
    Object.entries(object).filter(([, held]) => Array.isArray(held)),
  );
  const found = lists.find(([name]) => accountLists.test(name)) ?? lists.find(([name]) => wrappers.has(name));
  return found && (found[1] as unknown[]).map(fieldsOf);
}

/** The texts at the same place in every element of the list that contains `text`; undefined if no list does. */
export function findSiblings(json: unknown, text: string): Set<string> | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  if (Array.isArray(json)) {
    const path = json.map((element) => findPath(element, text)).find((found) => found !== undefined);
    if (path) return new Set(json.flatMap((element) => textAt(element, path)));
  }
  for (const inner of Object.values(json)) {
    const siblings = findSiblings(inner, text);
    if (siblings) return siblings;
  }
  return undefined;
}

function findPath(json: unknown, text: string): string[] | undefined {
  if (json === text) return [];
  if (typeof json !== "object" || json === null) return undefined;
  for (const [name, inner] of Object.entries(json)) {
    const path = findPath(inner, text);
    if (path) return [name, ...path];
  }
  return undefined;
}

function textAt(json: unknown, path: string[]): string[] {
  let value = json;
  for (const name of path) value = Object(value)[name];
  return typeof value === "string" ? [value] : [];
}

// Shallowest first.
function objectsWithin(json: unknown): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  let level = [json];
  for (let depth = 0; depth < depthMax && level.length > 0; depth += 1) {
    const objects = level.map(fieldsOf).filter((object) => Object.keys(object).length > 0);
    found.push(...objects);
    level = objects.flatMap((object) => Object.values(object));
  }
  return found;
}

/** Undefined if it isn't JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

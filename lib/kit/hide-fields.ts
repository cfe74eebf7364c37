import { describeError } from "./describe-error.ts";

const hidden = "[redacted]";

const depthMax = 5;

/**
 * Redacts the fields with these names at any depth, and everything below five levels. Errors become
 * `describeError`. Objects without such fields aren't copied.
 */
export function hideFields(fields: Record<string, unknown>, names: ReadonlySet<string>): Record<string, unknown> {
  return hideWithin(fields, names, 1);
}

function hideWithin(fields: Record<string, unknown>, names: ReadonlySet<string>, depth: number) {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const shown = names.has(name) && value !== undefined ? hidden : hideInValue(value, names, depth);
    if (shown === value) continue;
    copy ??= { ...fields };
    copy[name] = shown;
  }
  return copy ?? fields;
}

function hideInValue(value: unknown, names: ReadonlySet<string>, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= depthMax) return hidden;
  // As JSON, an Error shows only its added fields, such as PostgreSQL's detail with a row's values.
  if (value instanceof Error) return hideWithin(describeError(value), names, depth + 1);
  if (!Array.isArray(value)) return hideWithin(value as Record<string, unknown>, names, depth + 1);
  const items = value.map((item) => hideInValue(item, names, depth + 1));
  return items.some((item, index) => item !== value[index]) ? items : value;
}

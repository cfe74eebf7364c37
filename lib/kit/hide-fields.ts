import { describeError } from "./describe-error.ts";

const hidden = "[redacted]";

// Deeper than any line that is written on purpose; and an end for an object that holds itself.
const depthMax = 5;

/**
 * The fields with "[redacted]" in place of every one that has one of these names, at any depth; what lies deeper than five
 * objects is replaced as a whole. An error becomes what may be said of it. Nothing else is copied that holds none of them.
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
  // JSON shows nothing of an Error but what was added to it, as PostgreSQL's words about the values of a row.
  if (value instanceof Error) return hideWithin(describeError(value), names, depth + 1);
  if (!Array.isArray(value)) return hideWithin(value as Record<string, unknown>, names, depth + 1);
  const items = value.map((item) => hideInValue(item, names, depth + 1));
  return items.some((item, place) => item !== value[place]) ? items : value;
}

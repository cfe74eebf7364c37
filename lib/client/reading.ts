import * as z from "zod/mini";
import type { FieldProblem, Unreadable } from "./answer.ts";
import { readMoney } from "./money.ts";

// How answers are read: published fields and ids are needed, everything else may be missing, null or of another type.

/** An identifier: any text without control characters, or a number. */
export const identifier = z
  .pipe(z.union([z.string(), z.int()]), z.transform(String))
  .check(z.refine((id) => id.trim() !== "" && !/\p{Cc}/u.test(id) && id.isWellFormed()));

/** A text or a word of any vocabulary, kept as far as it can be stored; a number becomes its text. */
export const plainText = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value) => storable(String(value))),
);

// PostgreSQL takes neither NUL nor half a surrogate pair.
function storable(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}

/** A time, as an ISO 8601 text; numbers are seconds or milliseconds since 1970. */
export const time = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value, context) => {
    const date = new Date(typeof value === "string" && !/^\d+(\.\d+)?$/.test(value) ? value : milliseconds(+value));
    if (!Number.isNaN(date.getTime())) return date.toISOString();
    context.issues.push({ code: "custom", input: value });
    return z.NEVER;
  }),
);

// Until the year 5138 seconds have at most eleven digits.
function milliseconds(value: number): number {
  return value < 1e11 ? value * 1000 : value;
}

/** Yes or no; the words are understood too. */
export const flag = z.pipe(
  z.union([z.boolean(), z.literal("true"), z.literal("false")]),
  z.transform((value) => value === true || value === "true"),
);

/** An amount in US dollars; it is unknown when absent. */
export const money = z._default(z.pipe(z.unknown(), z.transform(readMoney)), { kind: "unknown", written: undefined });

/** String pairs; a pair whose value is something else is left out. */
export const metadata = z.pipe(
  z.record(z.string(), z.unknown()),
  z.transform((pairs) =>
    Object.fromEntries(
      Object.entries(pairs).flatMap(([key, value]) =>
        typeof value === "string" ? [[storable(key), storable(value)]] : [],
      ),
    ),
  ),
);

/** What may be missing, null or unreadable: then it is undefined, and the log says so. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.catch(z.optional(schema), undefined);
}

/** What could be read of a body. `notes`: fields that are not needed and could not be read. */
export type Reading<Body> =
  | { kind: "ok"; body: Body; notes: FieldProblem[] }
  | { kind: "unreadable"; ids: Unreadable["ids"]; problems: FieldProblem[] };

/** Reads the body of an answer; `known` is what the caller knows of the record already. */
export type Read<Body> = (body: unknown, known?: { id?: string | undefined }) => Reading<Body>;

type Fields = Record<string, z.ZodMiniType>;

/**
 * How a record is read: where its needed fields stand in the body, or else in the one object in it that has them.
 * @param otherPlaces where else a field may be, as `transfer.id`: names and envelopes that are not published
 */
export function recordOf<Shape extends Fields>(
  fields: Shape,
  otherPlaces: Partial<Record<keyof Shape & string, readonly string[]>> = {},
): Read<z.output<z.ZodMiniObject<Shape>>> {
  const schema = z.object(fields);
  const read: Read<z.output<z.ZodMiniObject<Shape>>> = (body, known = {}) => {
    const record = isRecord(body) ? { ...body } : {};
    for (const [field, places] of Object.entries<readonly string[] | undefined>(otherPlaces)) {
      const found = [field, ...(places ?? [])].map((place) => valueAt(body, place)).find(isPresent);
      if (found !== undefined) record[field] = found;
    }
    if (!isPresent(record["id"]) && known.id !== undefined) record["id"] = known.id;
    const parsed = schema.safeParse(record);
    if (!parsed.success) {
      const problems = parsed.error.issues.map(({ path }) => problemAt(record, path.map(String)));
      return { kind: "unreadable", ids: idsOf(record), problems: isRecord(body) ? problems : [notAnObject(body)] };
    }
    return { kind: "ok", body: parsed.data, notes: notesOn(record, parsed.data, Object.keys(fields)) };
  };
  const names = Object.keys(fields);
  const needed = names.filter((name) => !schema.shape[name]?.safeParse(undefined).success);
  return (body, known = {}) => {
    if (!isRecord(body) || (needed.length > 0 && needed.every((name) => isPresent(body[name]))))
      return read(body, known);
    const id = body["id"] ?? known.id;
    const inside = Object.values(body).filter(isRecord);
    const whole = inside.filter((record) => {
      const reading = read(record);
      const isWhole = needed.length > 0 && reading.kind === "ok";
      return isWhole && (!isPresent(id) || valueAt(reading.body, "id") === String(id));
    });
    // Whatever it is called, an envelope has the record and has nothing of it itself.
    const isEnvelope = inside.length === 1 && !names.some((name) => isPresent(body[name]));
    const [envelope] = isEnvelope ? inside : [];
    const [record = envelope] = whole.length === 1 ? whole : [];
    return read(record ?? body, known);
  };
}

/** How a list of records is read: under its name, as an array by itself, or as the only array in the body. */
export function listOf<Item>(name: string, readItem: Read<Item>): Read<{ items: Item[]; isWhole: boolean }> {
  return (body) => {
    const items = findItems(body, name);
    if (!items) return { kind: "unreadable", ids: {}, problems: [problemAt(body, [name])] };
    const readings = items.map((item) => readItem(item));
    const read = readings.flatMap((reading) => (reading.kind === "ok" ? [reading.body] : []));
    const notes = readings.flatMap((reading, index) =>
      (reading.kind === "ok" ? reading.notes : reading.problems).map(({ field, message }) => ({
        field: `${name}.${index}.${field}`,
        message,
      })),
    );
    // Nothing of what there is could be read: that is not an empty list.
    if (items.length > 0 && read.length === 0) return { kind: "unreadable", ids: {}, problems: notes };
    return { kind: "ok", body: { items: read, isWhole: read.length === items.length }, notes };
  };
}

function findItems(body: unknown, name: string): unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (!isRecord(body)) return undefined;
  const named = body[name];
  if (Array.isArray(named)) return named;
  const arrays = Object.values(body).filter((value) => Array.isArray(value));
  if (arrays.length === 1) return arrays[0];
  const [inside, ...others] = Object.values(body).filter(isRecord);
  return arrays.length === 0 && inside && others.length === 0 ? findItems(inside, name) : undefined;
}

function idsOf(record: Record<string, unknown>): Unreadable["ids"] {
  const [id, transferId] = [identifier.safeParse(record["id"]), identifier.safeParse(record["transfer_id"])];
  return { ...(id.success && { id: id.data }), ...(transferId.success && { transfer_id: transferId.data }) };
}

function notesOn(record: Record<string, unknown>, read: Record<string, unknown>, fields: string[]): FieldProblem[] {
  return fields.flatMap((field) => {
    const value = read[field];
    const isUnknownMoney = isRecord(value) && (value["kind"] === "unknown" || value["kind"] === "rounded");
    return isPresent(record[field]) && (value === undefined || isUnknownMoney) ? [problemAt(record, [field])] : [];
  });
}

function problemAt(body: unknown, path: string[]): FieldProblem {
  return { field: path.join("./"), message: `was not understood: ${kindOf(valueAt(body, path.join("./")))}` };
}

function notAnObject(body: unknown): FieldProblem {
  return { field: "", message: `the body is no JSON object: ${kindOf(body)}` };
}

/** What a value is, without showing it: it may be a secret. */
function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === "string" ? `a text of ${value.length} characters` : `a value of type ${typeof value}`;
}

function valueAt(body: unknown, place: string): unknown {
  return place.split(".").reduce((value, name) => (isRecord(value) ? value[name] : undefined), body);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

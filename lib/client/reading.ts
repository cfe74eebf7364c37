import * as z from "zod/mini";
import { type FieldProblem, storable, type Unreadable } from "./answer.ts";

// Published fields and ids are required; anything else may be missing, null or of another type.

/** An identifier: any text without control characters, or a number. */
export const identifier = z
  .pipe(z.union([z.string(), z.int()]), z.transform(String))
  .check(z.refine((id) => id.trim() !== "" && !/\p{Cc}/u.test(id) && id.isWellFormed()));

/** Any text, with characters that can't be stored replaced; a number becomes its text. */
export const plainText = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value) => storable(String(value))),
);

/** A time, as an ISO 8601 string, in UTC unless it names an offset; numbers are seconds or milliseconds since 1970. */
export const time = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value, context) => {
    const date = new Date(
      typeof value === "string" && !/^\d+(\.\d+)?$/.test(value) ? withOffset(value) : milliseconds(+value),
    );
    // Neither NaN nor what PostgreSQL can't read, such as microseconds taken for milliseconds.
    if (date.getUTCFullYear() >= 1970 && date.getUTCFullYear() <= 9999) return date.toISOString();
    context.issues.push({ code: "custom", input: value });
    return z.NEVER;
  }),
);

// JavaScript would read a time without an offset as this machine's.
function withOffset(text: string): string {
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text) ? `${text}Z` : text;
}

// Until the year 5138, seconds have at most eleven digits.
function milliseconds(value: number): number {
  return value < 1e11 ? value * 1000 : value;
}

/** A boolean, or "true" or "false". */
export const flag = z.pipe(
  z.union([z.boolean(), z.literal("true"), z.literal("false")]),
  z.transform((value) => value === true || value === "true"),
);

/**
 * An amount in US dollars as another program wrote it. `exact`: whole cents. `rounded`: it had a fraction of a cent.
 * `unknown`: absent, not a number, or in another currency. `written`: the original text.
 */
export type Money =
  | { kind: "exact"; cents: number }
  | { kind: "rounded"; cents: number; written: string }
  | { kind: "unknown"; written: string | undefined };

// 12, 12.5, "12.50", 1.2e3: JSON numbers, and texts that contain one.
const decimal = /^\s*([+-]?)(\d{1,20})(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?\s*$/;

/** Reads decimal digits, without floating-point arithmetic. An unreadable amount is unknown, never zero. */
export function readMoney(value: unknown): Money {
  const written = typeof value === "number" || typeof value === "string" ? String(value) : undefined;
  const match = written === undefined ? null : decimal.exec(written);
  if (written === undefined || !match) return { kind: "unknown", written: written ?? textOf(value) };
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  // Digits beyond the cents.
  const decimals = fraction.length - Number(exponent) - 2;
  const digits = BigInt(whole + fraction) * 10n ** BigInt(Math.max(-decimals, 0));
  const unit = 10n ** BigInt(Math.max(decimals, 0));
  const cents = Number((digits + unit / 2n) / unit) * (sign === "-" ? -1 : 1);
  if (!Number.isSafeInteger(cents)) return { kind: "unknown", written };
  return digits % unit === 0n ? { kind: "exact", cents: cents || 0 } : { kind: "rounded", cents: cents || 0, written };
}

/** The cents of an amount, rounded ones included; undefined when it is unknown. */
export function centsOf(money: Money): number | undefined {
  return money.kind === "unknown" ? undefined : money.cents;
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : JSON.stringify(value).slice(0, 60);
}

/** An amount in US dollars; unknown when absent. */
export const money = z._default(z.pipe(z.unknown(), z.transform(readMoney)), { kind: "unknown", written: undefined });

/** Pairs of strings; other values are dropped. */
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

/** A missing, null or unreadable value becomes undefined; an unreadable one is noted for the log. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.catch(z.optional(schema), undefined);
}

/** What could be read of a body. `notes`: optional fields that could not be read, or only rounded. */
export type Reading<Body> =
  | { kind: "ok"; body: Body; notes: FieldProblem[] }
  | { kind: "unreadable"; ids: Unreadable["ids"]; problems: FieldProblem[] };

/** Reads the body of an answer; `known` is what the caller already knows about the record. */
export type Read<Body> = (body: unknown, known?: { id?: string | undefined }) => Reading<Body>;

type Fields = Record<string, z.ZodMiniType>;

/**
 * Reads a record from the body, or from the one object in it that has the required fields.
 * @param otherPaths other paths of a field, like `transfer.id`: names and envelopes are not published
 */
export function recordOf<Shape extends Fields>(
  fields: Shape,
  otherPaths: Partial<Record<keyof Shape & string, readonly string[]>> = {},
): Read<z.output<z.ZodMiniObject<Shape>>> {
  const schema = z.object(fields);
  const read: Read<z.output<z.ZodMiniObject<Shape>>> = (body, known = {}) => {
    const record = isRecord(body) ? { ...body } : {};
    for (const [field, paths] of Object.entries<readonly string[] | undefined>(otherPaths)) {
      const found = [field, ...(paths ?? [])].map((path) => valueAt(body, path)).find(isPresent);
      if (found !== undefined) record[field] = found;
    }
    if (isRecord(body) && !isPresent(record["id"]) && known.id !== undefined) record["id"] = known.id;
    const parsed = schema.safeParse(record);
    if (!parsed.success) {
      const problems = parsed.error.issues.map(({ path }) => problemAt(record, path.map(String)));
      return { kind: "unreadable", ids: idsOf(record), problems: isRecord(body) ? problems : [notAnObject(body)] };
    }
    return { kind: "ok", body: parsed.data, notes: notesOn(record, parsed.data, Object.keys(fields)) };
  };
  const names = Object.keys(fields);
  const required = names.filter((name) => !schema.shape[name]?.safeParse(undefined).success);
  return (body, known = {}) => {
    if (!isRecord(body) || (required.length > 0 && required.every((name) => isPresent(body[name]))))
      return read(body, known);
    const id = body["id"] ?? known.id;
    const nested = Object.values(body).filter(isRecord);
    const matches = nested.filter((record) => {
      const reading = read(record);
      const isReadable = required.length > 0 && reading.kind === "ok";
      return isReadable && (!isPresent(id) || valueAt(reading.body, "id") === String(id));
    });
    // An envelope of any name contains the record and none of its fields.
    const isEnvelope = nested.length === 1 && !names.some((name) => isPresent(body[name]));
    const [envelope] = isEnvelope ? nested : [];
    const [record = envelope] = matches.length === 1 ? matches : [];
    return read(record ?? body, known);
  };
}

/** Reads a list of records: under its name, as the body itself, or as the only array in it or its envelope. */
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
    // A list with no readable item isn't empty.
    if (items.length > 0 && read.length === 0) return { kind: "unreadable", ids: {}, problems: notes };
    return { kind: "ok", body: { items: read, isWhole: read.length === items.length }, notes };
  };
}

function findItems(body: unknown, name: string): unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (!isRecord(body)) return undefined;
  const named = body[name];
  if (Array.isArray(named)) return named;
  if (isRecord(named)) return findItems(named, name);
  if (name in body) return undefined;
  const arrays = Object.entries(body).flatMap(([key, value]) =>
    Array.isArray(value) && !/error|warning/i.test(key) ? [value] : [],
  );
  if (arrays.length === 1) return arrays[0];
  const [envelope, ...others] = Object.values(body).filter(isRecord);
  return arrays.length === 0 && envelope && others.length === 0 ? findItems(envelope, name) : undefined;
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
  return { field: "", message: `the body isn't a JSON object: ${kindOf(body)}` };
}

/** Describes a value without showing it: it may be a secret. */
function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === "string" ? `a string of ${value.length} characters` : `a value of type ${typeof value}`;
}

function valueAt(body: unknown, path: string): unknown {
  return path.split(".").reduce((value, name) => (isRecord(value) ? value[name] : undefined), body);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

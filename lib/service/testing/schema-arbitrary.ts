import fc from "fast-check";

/** As in the OpenAPI document, references included. */
export type JsonSchema = { [keyword: string]: unknown };

/** Values that have broken parsers before. */
export const hostileValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.005,
  1e21,
  Number.MAX_SAFE_INTEGER,
  "",
  " ",
  "null",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "‮txt.exe",
  "שלום עולם",
  "👩‍👩‍👧‍👦",
  "e\u0301".repeat(200),
  "' or 1=1 --",
  "../../etc/passwd",
  "x".repeat(5000),
  [],
  {},
  [[[[[]]]]],
  { __proto__: { admin: true } },
  JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}'),
];

/** Valid values, often near the limits; `known` has existing values for a property. */
export function fitting(
  schema: JsonSchema,
  root: JsonSchema,
  known: Record<string, unknown[]> = {},
): fc.Arbitrary<unknown> {
  const here = resolve(schema, root);
  const alternatives = (here["anyOf"] ?? (here["type"] ? undefined : here["oneOf"])) as JsonSchema[] | undefined;
  if (alternatives) return fc.oneof(...alternatives.map((one) => fitting(one, root, known)));
  if ("const" in here) return fc.constant(here["const"]);
  if (Array.isArray(here["enum"])) return fc.constantFrom(...here["enum"]);
  if (Array.isArray(here["type"])) {
    return fc.oneof(...here["type"].map((type) => fitting({ ...here, type }, root, known)));
  }
  switch (here["type"]) {
    case "string":
      return fittingText(here);
    case "integer":
    case "number":
      return fittingNumber(here);
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(fitting((here["items"] ?? {}) as JsonSchema, root, known), { maxLength: 3 });
    case "object":
      return fittingObject(here, root, known);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** The same with one error: a property missing, unknown or hostile, or another value altogether. */
export function broken(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      value,
      fc.constantFrom(...hostileValues),
      fc.nat(),
      fc.constantFrom("replace", "drop", "add", "deep", "instead"),
    )
    .map(([whole, hostile, index, way]) => {
      if (typeof whole !== "object" || whole === null || way === "instead") return hostile;
      const names = Object.keys(whole);
      const name = names[index % Math.max(names.length, 1)] ?? "unknown";
      if (way === "drop") return Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name));
      if (way === "add") return { ...whole, [`unknown${index % 3 === 0 ? "\u202e😀" : ""}`]: hostile };
      if (way === "deep") return { ...whole, [name]: { [name]: [hostile] } };
      return { ...whole, [name]: hostile };
    });
}

function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return schema;
  const found = reference
    .slice(2)
    .split("/")
    .reduce<unknown>((value, key) => (value as JsonSchema)[key.replaceAll("~1", "/")], root);
  return resolve(found as JsonSchema, root);
}

function fittingText({ format, pattern, minLength = 0, maxLength = 60 }: JsonSchema): fc.Arbitrary<string> {
  const [min, max] = [Number(minLength), Number(maxLength)];
  if (format === "uuid") return fc.uuid();
  if (format === "date") return fc.integer({ min: 1930, max: 2020 }).map((year) => `${year}-02-28`);
  if (format === "uri") return fc.webUrl();
  // A pattern with length limits only forbids characters; any other is complete.
  if (typeof pattern === "string" && !maxLength) return fc.stringMatching(new RegExp(pattern, "u"));
  if (typeof pattern === "string" && min === 0) {
    return fc.stringMatching(new RegExp(pattern, "u")).filter((text) => text.length <= max);
  }
  return fc.oneof(
    fc.string({ minLength: min, maxLength: Math.min(max, 40), unit: "grapheme" }),
    fc.constantFrom("a".repeat(max), "a".repeat(max + 1), "😀".repeat(max), "ש".repeat(Math.max(min, 1))),
  );
}

function fittingNumber({ minimum, exclusiveMinimum, maximum, type }: JsonSchema): fc.Arbitrary<number> {
  const min = Number(minimum ?? exclusiveMinimum ?? 0);
  const max = Number(maximum ?? 1_000_000);
  const edges = [min, min + 1, max, max + 1, min - 1];
  if (type === "integer") return fc.oneof(fc.integer({ min, max }), fc.constantFrom(...edges));
  return fc.oneof(
    fc.integer({ min: 1, max: 100_000 }).map((cents) => Number(`${Math.floor(cents / 100)}.${cents % 100}`)),
    fc.constantFrom(...edges, 0.01, 0.1, 1_000_000.01),
  );
}

function fittingObject(here: JsonSchema, root: JsonSchema, known: Record<string, unknown[]>): fc.Arbitrary<unknown> {
  const properties = Object.entries((here["properties"] ?? {}) as Record<string, JsonSchema>);
  const required = new Set((here["required"] ?? []) as string[]);
  if (properties.length === 0) {
    return fc.dictionary(fc.stringMatching(/^[a-z_.-]{1,64}$/), fc.string({ minLength: 1, maxLength: 256 }), {
      maxKeys: 26,
    });
  }
  const model = Object.fromEntries(
    properties.map(([name, schema]) => {
      const values = known[name];
      const any = fitting(schema, root, known);
      return [name, values?.length ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, any) : any];
    }),
  );
  return fc.record(model, { requiredKeys: properties.map(([name]) => name).filter((name) => required.has(name)) });
}

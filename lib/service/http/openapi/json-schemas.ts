import * as z from "zod/mini";
import { bodies } from "../../../contract/bodies.ts";
import { wireFacts } from "../../../contract/text.ts";

export type Json = Record<string, unknown>;

const named = z.registry<{ id: string }>();
for (const [name, { schema }] of Object.entries(bodies)) named.add(schema, { id: name });

/** The named bodies as JSON Schemas, for `components.schemas`; nested bodies are references. */
export function componentSchemas(): Json {
  // The input side of each schema: responses stay open to new fields, requests are strict by themselves.
  const { schemas } = z.toJSONSchema(named, { ...options, uri: referenceTo });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutIdentity(schema)]));
}

export function schemaOf(schema: z.ZodMiniType): Json {
  const name = named.get(schema)?.id;
  return name ? { $ref: referenceTo(name) } : withoutIdentity(z.toJSONSchema(schema, options));
}

/** References to the examples of a named body; for a union, to those of each alternative. */
export function exampleOf(schema: z.ZodMiniType): Json | undefined {
  const alternatives = schema instanceof z.ZodMiniUnion ? schema.def.options : [schema];
  const names = alternatives.flatMap((alternative) => named.get(alternative)?.id ?? []);
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
}

const options = {
  io: "input",
  unrepresentable: "any",
  override: ({ zodSchema, jsonSchema }) => {
    const facts = wireFacts.get(zodSchema);
    if (!facts) return;
    if ("type" in facts) for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Json)[key];
    Object.assign(jsonSchema, facts);
  },
} satisfies z.core.ToJSONSchemaParams;

function referenceTo(name: string): string {
  return `#/components/schemas/${name}`;
}

function withoutIdentity({ $schema: _schema, $id: _id, ...schema }: Json): Json {
  return withNullAsType(schema) as Json;
}

// `type: ["string", "null"]` reads better in a reference than zod's anyOf.
function withNullAsType(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNullAsType);
  if (typeof value !== "object" || value === null) return value;
  const schema = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withNullAsType(part)]));
  const [one, other, ...more] = (Array.isArray(schema["anyOf"]) ? schema["anyOf"] : []) as Json[];
  if (typeof one?.["type"] !== "string" || other?.["type"] !== "null" || more.length > 0) return schema;
  return { ...one, type: [one["type"], "null"] };
}

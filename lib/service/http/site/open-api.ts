import type { Json } from "../openapi/json-schemas.ts";

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: unknown[];
  /** Today's words; more may follow. */
  "x-extensible-enum"?: unknown[];
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
};

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description: string;
  schema: Schema;
  example?: unknown;
};

type Content = Record<string, { schema: Schema; examples?: Record<string, Example> }>;
export type Example = { value: unknown };

export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  callbacks?: Record<string, Record<string, Record<string, Operation>>>;
};

/** The parts of the OpenAPI document that the reference shows, with references resolved. */
export type Reference = {
  info: { summary: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema>; examples: Record<string, Example> };
};

/** Resolves parameters, headers and examples; schemas stay references, because each is shown once. */
export function readReference(document: Json): Reference {
  const components = document["components"] as Record<string, Record<string, unknown>>;
  const text = JSON.stringify(document, (_key, value: unknown) => {
    const name = typeof value === "object" && value !== null && "$ref" in value ? String(value.$ref) : "";
    const [, kind = "", key = ""] = /^#\/components\/(parameters|headers|examples)\/(.+)$/.exec(name) ?? [];
    return kind ? components[kind]?.[key] : value;
  });
  return JSON.parse(text) as Reference;
}

export type PlacedOperation = { operation: Operation; method: string; path: string };

export function operationsOf({ paths }: Reference): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => "operationId" in operation)
      .map(([method, operation]) => ({ operation, method: method.toUpperCase(), path })),
  );
}

/** The operation's example body, or the least that its schema requires. */
export function bodyOf({ requestBody }: Operation): unknown {
  const content = requestBody?.content["application/json"];
  const [example] = Object.values(content?.examples ?? {});
  return example ? example.value : content && minimumOf(content.schema);
}

function minimumOf({ const: only, enum: words, type, minimum, properties = {}, required = [] }: Schema): unknown {
  if (only !== undefined) return only;
  if (words) return words[0];
  if (type === "object") {
    return Object.fromEntries(
      Object.entries(properties).flatMap(([name, schema]) =>
        required.includes(name) ? [[name, minimumOf(schema)]] : [],
      ),
    );
  }
  return type === "string" ? "" : (minimum ?? 1);
}

export type Call = {
  method: string;
  url: string;
  credentials?: string | undefined;
  headers?: readonly string[];
  json?: unknown;
  form?: Readonly<Record<string, string>>;
};

/** A curl command for a POSIX shell. A `$NAME` in the address, a form field or JSON stays a variable. */
export function curlOf({ method, url, credentials, headers = [], json, form = {} }: Call): string {
  const fields = Object.entries(form);
  const isImplied = method === (json === undefined && fields.length === 0 ? "GET" : "POST");
  return [
    `curl -s ${isImplied ? "" : `-X ${method} `}${quoted(url)}`,
    ...(credentials === undefined ? [] : [credentials]),
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...fields.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
    ...(json === undefined
      ? []
      : [
          "-H 'content-type: application/json'",
          `-d ${single(JSON.stringify(json, null, 2).replaceAll("\n", "\n  ")).replaceAll(/\$[A-Z_]+/g, `'"$&"'`)}`,
        ]),
  ].join(" \\\n  ");
}

// The shell expands variables only between double quotes.
function quoted(text: string): string {
  return /\$/.test(text) ? `"${text}"` : /^[\w:/.@-]+$/.test(text) ? text : single(text);
}

function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function basicOption({ clientId, clientSecret }: { clientId: string; clientSecret: string }): string {
  return `-u ${quoted(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`;
}

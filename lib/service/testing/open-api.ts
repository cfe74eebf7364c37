import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonSchema } from "./schema-arbitrary.ts";

export type DocumentedOperation = {
  operationId: string;
  method: string;
  template: string;
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; required?: boolean; schema: JsonSchema }[];
  bodySchema: JsonSchema | undefined;
  responses: Record<string, { content?: Record<string, unknown> }>;
};

/** Every operation that this API serves itself, so without the authorization page. */
export function operationsOf(document: JsonSchema): DocumentedOperation[] {
  return Object.entries(document["paths"] as Record<string, Record<string, JsonSchema>>)
    .filter(([, item]) => !("servers" in item))
    .flatMap(([template, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        operationId: String(operation["operationId"]),
        method: method.toUpperCase(),
        template,
        security: operation["security"] as DocumentedOperation["security"],
        parameters: (operation["parameters"] as JsonSchema[]).filter(
          (parameter) => "in" in parameter,
        ) as DocumentedOperation["parameters"],
        bodySchema: valueAt(operation, ["requestBody", "content", "application/json", "schema"]) as
          | JsonSchema
          | undefined,
        responses: operation["responses"] as DocumentedOperation["responses"],
      })),
    );
}

/** Returns what a response has that the document doesn't list. A field without a schema counts as undocumented. */
export function judgeOf(document: JsonSchema) {
  const ajv = addFormats.default(new Ajv2020({ strict: false, validateSchema: false, allErrors: true }));
  ajv.addSchema(closed(document), "document");
  return async (operation: DocumentedOperation, answer: Response): Promise<string | undefined> => {
    const { status, headers } = answer;
    const mediaType = headers.get("content-type")?.split(";")[0];
    if (mediaType === "text/event-stream") {
      await answer.body?.cancel();
    }
    const text = mediaType === "text/event-stream" ? "" : await answer.text();
    const documented = operation.responses[status];
    if (!documented) return `${status} is not documented: ${text}`;
    if (!headers.get("request-id")) return `${status} has no request-id`;
    if (headers.get("cache-control") !== "no-store") return `${status} may be stored`;
    if (!documented.content) return text === "" ? undefined : `${status} should be empty: ${text}`;
    if (!mediaType || !(mediaType in documented.content)) return `${status} has content-type ${mediaType}`;
    if (mediaType !== "application/json") return undefined;
    const { template, method } = operation;
    const pointer = ["paths", template, method.toLowerCase(), "responses", status, "content", mediaType, "schema"]
      .map((part) => encodeURIComponent(String(part).replaceAll("/", "~1")))
      .join("/");
    const validate = ajv.getSchema(`document#/${pointer}`);
    if (!validate) return `${status} has no schema`;
    return validate(JSON.parse(text)) ? undefined : `${status} ${ajv.errorsText(validate.errors)}: ${text}`;
  };
}

function closed(document: JsonSchema): JsonSchema {
  const copy = structuredClone(document);
  close((copy["components"] as JsonSchema)["schemas"]);
  return copy;
}

function close(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if ("properties" in value && "type" in value && !("additionalProperties" in value)) {
    Object.assign(value, { additionalProperties: false });
  }
  for (const part of Object.values(value)) close(part);
}

function valueAt(root: unknown, path: string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as JsonSchema | undefined)?.[key], root);
}

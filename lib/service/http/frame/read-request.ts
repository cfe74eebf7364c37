import * as z from "zod/mini";
import type { FieldProblem } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { uuid } from "../../../contract/text.ts";
import { refuse, refuseFields, ServiceError } from "./refusal.ts";

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openBracket, openBrace, closeBracket, closeBrace] = [0x5b, 0x7b, 0x5d, 0x7d];

/**
 * The parsed body: strict JSON in UTF-8 without duplicate fields or deep nesting, or with `takesForm` form parameters as a
 * record of strings. Throws unsupported_media_type, payload_too_large or invalid_json. Decision D3
 */
export async function readBody(request: Request, { takesForm }: { takesForm: boolean }): Promise<unknown> {
  const format = requireFormat(request.headers, takesForm);
  const text = decode(await readBytes(request));
  return format === "form" ? parseForm(text) : parseJson(text);
}

/** Refuses a request whose accept header rules JSON out. Decision D3 */
export function requireAcceptsJson(headers: Headers): void {
  const accept = headers.get("accept");
  if (!accept || accept === "*/*" || accept === "application/json") return;
  const ranges = accept.split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { type, isWanted: quality === undefined || Number(quality) > 0 };
  });
  // The most specific range decides (RFC 9110 section 12.5.1).
  for (const type of ["application/json", "application/*", "*/*"]) {
    const named = ranges.filter((range) => range.type === type);
    if (named.some(({ isWanted }) => isWanted)) return;
    if (named.length > 0) break;
  }
  throw new ServiceError(refuse("not_acceptable"));
}

function requireFormat(headers: Headers, takesForm: boolean): "json" | "form" {
  const [type = "", ...parameters] = (headers.get("content-type") ?? "").split(";").map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter));
  const isUtf8 = !charset || /^charset="?utf-8"?$/i.test(charset);
  const isPlain = /^(?:identity)?$/i.test(headers.get("content-encoding") ?? "");
  if (isUtf8 && isPlain) {
    if (type.toLowerCase() === "application/json") return "json";
    if (takesForm && type.toLowerCase() === "application/x-www-form-urlencoded") return "form";
  }
  const detail = "Send application/x-www-form-urlencoded or application/json in UTF-8.";
  throw new ServiceError(refuse("unsupported_media_type", takesForm ? { detail } : {}));
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (length > limits.requestBytesMax) throw tooLarge();
  // Node's parser enforces the stated length, so only a body without one is counted here.
  if (length >= 0) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > limits.requestBytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): ServiceError {
  return new ServiceError(refuse("payload_too_large"));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidJson("The body is not UTF-8.");
  }
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidJson("The body is not JSON.");
  }
  const { fields, depth } = surveyJson(text);
  // Code that handles the body may recurse.
  if (depth > limits.requestDepthMax) throw invalidJson(`The body is nested more than ${limits.requestDepthMax} deep.`);
  // RFC 8259 lets parsers pick either duplicate, so two readers of this body could disagree.
  if (fields > countFields(value)) throw invalidJson("The body names a field twice.");
  // An escape can spell what UTF-8 cannot encode.
  if (text.includes("\\u") && holdsUnstorableText(value)) {
    throw invalidJson("The body holds NUL or half a surrogate pair, which is no text.");
  }
  return value;
}

// Outside of strings, JSON has one colon per field. One pass (a microsecond or two) finds the duplicates that JSON.parse
// hides.
function surveyJson(json: string): { fields: number; depth: number } {
  let fields = 0;
  let depth = 0;
  let open = 0;
  let isInString = false;
  for (let place = 0; place < json.length; place++) {
    const unit = json.charCodeAt(place);
    if (unit === quote) isInString = !isInString;
    else if (isInString) {
      if (unit === backslash) place++;
    } else if (unit === colon) fields++;
    else if (unit === openBrace || unit === openBracket) depth = Math.max(depth, ++open);
    else if (unit === closeBrace || unit === closeBracket) open--;
  }
  return { fields, depth };
}

function countFields(root: unknown): number {
  let count = 0;
  const rest = [root];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value !== "object" || value === null) continue;
    const children = Object.values(value);
    if (!Array.isArray(value)) count += children.length;
    for (const child of children) rest.push(child);
  }
  return count;
}

function holdsUnstorableText(root: unknown): boolean {
  const rest = [root];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === "string") {
      if (value.includes("\0") || !value.isWellFormed()) return true;
    } else if (typeof value === "object" && value !== null) {
      rest.push(...Object.keys(value), ...Object.values(value));
    }
  }
  return false;
}

function parseForm(text: string): Record<string, string> {
  const parameters = new URLSearchParams(text);
  const record: Record<string, string> = {};
  for (const [name, value] of parameters) {
    if (Object.hasOwn(record, name)) throw invalidJson("A parameter is repeated.");
    if (value.includes("\0")) throw invalidJson("A parameter holds NUL, which is no text.");
    // Not by assignment, because a parameter may be named __proto__.
    Object.defineProperty(record, name, { value, enumerable: true });
  }
  return record;
}

function invalidJson(detail: string): ServiceError {
  return new ServiceError(refuse("invalid_json", { detail }));
}

// Enough to correct a whole form at once.
const problemsMax = 50;

/** The parsed value. Throws validation_failed with every wrong field, never with its value. */
export function requireValid<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => problemsOf(issue, value));
  throw new ServiceError(refuseFields(problems.slice(0, problemsMax)));
}

function problemsOf(issue: z.core.$ZodIssue, root: unknown): FieldProblem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ field: [...issue.path, key].join("."), message: "This field is not known." }));
  }
  return [{ field: issue.path.join("."), message: messageOf(issue, root) }];
}

function messageOf(issue: z.core.$ZodIssue, root: unknown): string {
  if (issue.code !== "custom" && valueAt(root, issue.path) === undefined) return "This field is required.";
  // The default message of zod/mini.
  if (issue.message !== "Invalid input") return issue.message;
  if (issue.code === "invalid_type")
    return `Must be of type ${issue.expected === "record" ? "object" : issue.expected}.`;
  if (issue.code === "too_small") return `Has at least ${issue.minimum}.`;
  if (issue.code === "too_big") return `Has at most ${issue.maximum}.`;
  if (issue.code === "invalid_value") return `Must be one of ${issue.values.map(String).join(", ")}.`;
  return "Does not have the expected form.";
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  return value;
}

/** The Idempotency-Key header in lower case: a UUID, bare or quoted. Throws invalid_idempotency_key. Decision D13 */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const header = headers.get("idempotency-key");
  if (header === null) return undefined;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (uuid.safeParse(key).success) return key.toLowerCase();
  throw new ServiceError(refuse("invalid_idempotency_key"));
}

/** The query fields of a paginated list: `limit` and `starting_after`. */
export function pageQuery({ limit, limitMax }: { limit: number; limitMax: number }) {
  const wholeNumber = z.pipe(z.string().check(z.regex(/^\d{1,4}$/, "Must be a whole number.")), z.transform(Number));
  const withinLimits = z.number().check(z.minimum(1, "Is at least 1."), z.maximum(limitMax, `Is at most ${limitMax}.`));
  return { limit: z._default(z.pipe(wholeNumber, withinLimits), limit), starting_after: z.optional(uuid) };
}

/** The query as a record of strings. Throws validation_failed for a repeated parameter. */
export function readQuery(url: string): Record<string, string> {
  const query: Record<string, string> = {};
  const start = url.indexOf("?");
  for (const [name, value] of new URLSearchParams(start < 0 ? "" : url.slice(start))) {
    if (Object.hasOwn(query, name)) {
      throw new ServiceError(refuseFields([{ field: name, message: "This parameter is repeated." }]));
    }
    Object.defineProperty(query, name, { value, enumerable: true });
  }
  return query;
}

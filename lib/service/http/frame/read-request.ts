import * as z from "zod/mini";
import type { FieldProblem } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { uuid } from "../../../contract/text.ts";
import { isSameSecret } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";
import {
  authenticateAccessToken,
  authenticateClient,
  type ClientCaller,
  type ClientCredentials,
  type UserCaller,
} from "../../operations/tokens/authenticate.ts";
import type { RequestFacts } from "./answer-request.ts";
import { refuse, refuseFields, ServiceError } from "./refusal.ts";

// Padded base64 to the end of the header, so a second credential is refused.
const basicScheme = /^basic +((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i;

/** Authenticates the client by Basic credentials. Throws invalid_client, the same for every cause. Decision D2 */
export function requireClient(headers: Headers): Promise<ClientCaller> {
  const header = headers.get("authorization");
  return requireAuthentic(header === null ? "missing" : parseBasic(header));
}

/** For the OAuth endpoints: also accepts credentials in the body (client_secret_post). `facts` gets the body without the secret. */
export async function requireOAuthClient(request: Request, facts: RequestFacts): Promise<ClientCaller> {
  const detail = "Authenticate with the Basic scheme, or with client_id and client_secret in the body.";
  const header = request.headers.get("authorization");
  if (header !== null) return requireAuthentic(parseBasic(header), { detail });
  requireAcceptsJson(request.headers);
  const { client_secret: clientSecret, ...parameters } = recordOf(await readBody(request, { takesForm: true }));
  facts.body = parameters;
  const { client_id: clientId } = parameters;
  if (!clientSecret) return requireAuthentic("missing", { detail });
  const areTexts = typeof clientId === "string" && clientId !== "" && typeof clientSecret === "string";
  return requireAuthentic(areTexts ? plausible({ clientId, clientSecret }) : undefined, { detail });
}

async function requireAuthentic(
  credentials: ClientCredentials | "missing" | undefined,
  more: { detail?: string } = {},
): Promise<ClientCaller> {
  if (credentials === undefined || credentials === "missing") {
    const cause = credentials ? "credentials_missing" : "credentials_malformed";
    throw new ServiceError(refuse("invalid_client", { cause, ...more }));
  }
  const outcome = await authenticateClient(credentials);
  if (outcome.kind === "invalid_client")
    throw new ServiceError(refuse(outcome.kind, { cause: outcome.cause, ...more }));
  return outcome.caller;
}

/** Id and secret of an `Authorization: Basic` header, both form-url-decoded (RFC 6749 section 2.3.1). */
function parseBasic(header: string | null): ClientCredentials | undefined {
  const encoded = basicScheme.exec(header ?? "")?.[1];
  if (!encoded) return undefined;
  try {
    const decoded = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(encoded, "base64"));
    const colon = decoded.indexOf(":");
    if (colon < 1) return undefined;
    const clientId = decodeFormText(decoded.slice(0, colon));
    const clientSecret = decodeFormText(decoded.slice(colon + 1));
    return plausible({ clientId, clientSecret });
  } catch {
    return undefined;
  }
}

function plausible(credentials: ClientCredentials): ClientCredentials | undefined {
  const { clientId } = credentials;
  // PostgreSQL text cannot hold NUL.
  return clientId.length <= limits.clientIdCharactersMax && !clientId.includes("\0") ? credentials : undefined;
}

function decodeFormText(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

function recordOf(body: unknown): Record<string, unknown> {
  return typeof body === "object" && body !== null ? { ...body } : {};
}

// RFC 6750 section 2.1; the scheme is case-insensitive.
const bearerScheme = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Authenticates the operator by OPERATOR_TOKEN. */
export function requireOperator(headers: Headers): undefined {
  const detail = "Send the operator's token (OPERATOR_TOKEN) with the Bearer scheme.";
  const token = requireBearer(headers, { detail });
  const { operatorToken } = serviceConfig();
  if (operatorToken !== undefined && isSameSecret(token, operatorToken)) return;
  throw new ServiceError(refuse("invalid_token", { cause: "operator_token_wrong", detail }));
}

function requireBearer(headers: Headers, more: { detail?: string } = {}): string {
  const header = headers.get("authorization");
  if (!header || !/^bearer\b/i.test(header)) {
    const cause = header ? "authorization_of_another_scheme" : "authorization_missing";
    throw new ServiceError(refuse("missing_token", { cause, ...more }));
  }
  const token = bearerScheme.exec(header)?.[1];
  if (!token) throw new ServiceError(refuse("invalid_token", { cause: "access_token_malformed", ...more }));
  return token;
}

/** Authenticates the user by bearer token. Throws the 401s of Decision D5. */
export async function requireUser(headers: Headers): Promise<UserCaller> {
  const accessToken = requireBearer(headers);
  const outcome = await authenticateAccessToken(accessToken);
  switch (outcome.kind) {
    case "valid":
      return outcome.caller;
    case "unknown":
      throw new ServiceError(refuse("invalid_token", { cause: outcome.cause, clientId: outcome.clientId }));
    case "expired":
      throw new ServiceError(refuse("token_expired", { clientId: outcome.clientId }));
    case "superseded":
      throw new ServiceError(refuse("token_superseded", { clientId: outcome.clientId }));
  }
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openBracket, openBrace, closeBracket, closeBrace] = [0x5b, 0x7b, 0x5d, 0x7d];

/**
 * Parses the body: strict JSON in UTF-8 without duplicate fields or deep nesting, or a form into a record of strings. Throws
 * unsupported_media_type, payload_too_large or invalid_json. Decision D3
 */
export async function readBody(request: Request, { takesForm }: { takesForm: boolean }): Promise<unknown> {
  const format = requireFormat(request.headers, takesForm);
  const text = decode(await readBytes(request));
  return format === "form" ? parseForm(text) : parseJson(text);
}

/** Refuses a request that doesn't accept JSON. Decision D3 */
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

/** The raw body, at most 64 KiB. */
export async function readBytes(request: Request): Promise<Uint8Array> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (length > limits.requestBytesMax) throw tooLarge();
  try {
    if (length >= 0) return new Uint8Array(await request.arrayBuffer());
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of request.body ?? []) {
      bytes += chunk.length;
      if (bytes > limits.requestBytesMax) throw tooLarge();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // The client left or was too slow. Its ECONNRESET would count as a lost database.
    throw new ServiceError(refuse("invalid_json", { detail: "The body is incomplete.", cause: "body_cut_off" }));
  }
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
  const { fields, depth } = scanJson(text);
  // Code that handles the body may be recursive.
  if (depth > limits.requestDepthMax)
    throw invalidJson(`The body is nested more than ${limits.requestDepthMax} levels deep.`);
  // RFC 8259 lets parsers pick either duplicate, so two readers of this body could disagree.
  if (fields > countFields(value)) throw invalidJson("The body has a duplicate field.");
  // An escape sequence can produce text that UTF-8 can't encode.
  if (text.includes("\\u") && holdsUnstorableText(value)) {
    throw invalidJson("The body contains NUL or a lone surrogate.");
  }
  return value;
}

// Counts colons outside of strings, one per field, to find the duplicates that JSON.parse hides.
function scanJson(json: string): { fields: number; depth: number } {
  let fields = 0;
  let depth = 0;
  let open = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index++) {
    const unit = json.charCodeAt(index);
    if (unit === quote) isInString = !isInString;
    else if (isInString) {
      if (unit === backslash) index++;
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
  const record = recordOnce(new URLSearchParams(text), () => invalidJson("A parameter is repeated."));
  if (Object.values(record).some((value) => value.includes("\0"))) throw invalidJson("A parameter contains NUL.");
  return record;
}

/** The parameters as a record. Throws `repeated` if one occurs twice. */
function recordOnce(parameters: URLSearchParams, repeated: (name: string) => ServiceError): Record<string, string> {
  const record: Record<string, string> = {};
  for (const [name, value] of parameters) {
    if (Object.hasOwn(record, name)) throw repeated(name);
    // Not an assignment, because a parameter may be named __proto__.
    Object.defineProperty(record, name, { value, enumerable: true });
  }
  return record;
}

function invalidJson(detail: string): ServiceError {
  return new ServiceError(refuse("invalid_json", { detail }));
}

const problemsMax = 50;

/** Parses a value. Throws validation_failed with every invalid field, but never with values. */
export function requireValid<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => problemsOf(issue, value));
  throw new ServiceError(refuseFields(problems.slice(0, problemsMax)));
}

function problemsOf(issue: z.core.$ZodIssue, root: unknown): FieldProblem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ field: [...issue.path, key].join("."), message: "This field is unknown." }));
  }
  return [{ field: issue.path.join("."), message: messageOf(issue, root) }];
}

function messageOf(issue: z.core.$ZodIssue, root: unknown): string {
  if (issue.code !== "custom" && valueAt(root, issue.path) === undefined) return "This field is required.";
  if (issue.message !== "Invalid input") return issue.message;
  if (issue.code === "invalid_type" && issue.path.length === 0 && issue.expected === "object") {
    return "The body must be a JSON object.";
  }
  if (issue.code === "invalid_type")
    return `Must be of type ${issue.expected === "record" ? "object" : issue.expected}.`;
  if (issue.code === "too_small") return `Minimum: ${issue.minimum}.`;
  if (issue.code === "too_big") return `Maximum: ${issue.maximum}.`;
  if (issue.code === "invalid_value") return `Must be one of ${issue.values.map(String).join(", ")}.`;
  return "Has an invalid format.";
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
  const withinLimits = z
    .number()
    .check(z.minimum(1, "Must be at least 1."), z.maximum(limitMax, `Must be at most ${limitMax}.`));
  return { limit: z._default(z.pipe(wholeNumber, withinLimits), limit), starting_after: z.optional(uuid) };
}

export function readQuery(url: string): Record<string, string> {
  const start = url.indexOf("?");
  return recordOnce(new URLSearchParams(start < 0 ? "" : url.slice(start)), (field) => {
    return new ServiceError(refuseFields([{ field, message: "This parameter is repeated." }]));
  });
}

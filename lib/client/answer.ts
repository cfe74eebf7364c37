/** A field that was refused or could not be read; `field` is its path, like `metadata.order id`. */
export type FieldProblem = { field: string; message: string };

/** A success whose required fields could be read. `isReplay`: the service replayed its first response to this key. */
export type Ok<Body> = { kind: "ok"; status: number; body: Body; isReplay: boolean };

/**
 * A success with an unreadable required field. The request took effect. `ids`: those that could be read, by their wire names;
 * `problems`: the unreadable fields.
 */
export type Unreadable = {
  kind: "unreadable";
  status: number;
  ids: Partial<Record<"id" | "transfer_id", string>>;
  problems: FieldProblem[];
  requestId: string | undefined;
};

/**
 * Any other status. Branch on `reason` ("unknown" if there is none); `description` is for developers and may be empty;
 * `errors` name fields. A 5xx may come from a proxy, so it doesn't settle the outcome.
 */
export type Refused = {
  kind: "refused";
  status: number;
  reason: string;
  description: string;
  errors: FieldProblem[];
  requestId: string | undefined;
};

/** No response. `no_connection`: the request was never sent. `timeout` and `cut`: it may have arrived and taken effect. */
export type Unreachable = { kind: "unreachable"; cause: "no_connection" | "timeout" | "cut"; description: string };

/** The outcome of a call. Calls never throw. */
export type Answer<Body> = Ok<Body> | Unreadable | Refused | Unreachable;

/** Any outcome other than a readable success. */
export type Unsuccessful = Exclude<Answer<unknown>, { kind: "ok" }>;

/**
 * What an unsuccessful answer says about the request. `definite`: the service refused it and would again. `temporary`:
 * it had no effect, but a retry may work: our credential (401), our rate (429), no connection, or a reason that says so.
 * `unknown`: it may have taken effect. A redirect, 408 or 5xx can come from a proxy, and 409 means that an earlier request
 * is still running.
 */
export function decisionOf(answer: Refused | Unreachable): "definite" | "temporary" | "unknown" {
  if (answer.kind === "unreachable") return answer.cause === "no_connection" ? "temporary" : "unknown";
  const { status, reason } = answer;
  if (status === 401 || status === 429 || (status === 400 && temporaryReasons.includes(reason))) return "temporary";
  return status >= 400 && status < 500 && status !== 408 && status !== 409 ? "definite" : "unknown";
}

// OAuth errors that some services return with 400.
const temporaryReasons = ["invalid_client", "temporarily_unavailable"];

/** Whether a refused request certainly had no effect. */
export function isConclusive(refused: Refused): boolean {
  return decisionOf(refused) !== "unknown";
}

// Error bodies are not published. We read ours (Decision D5), RFC 6749, RFC 9457 and other common shapes; otherwise only the
// status counts.
const reasonNames = ["reason", "error", "error_code", "code", "type"];
const descriptionNames = ["description", "error_description", "message", "detail", "title"];

const sentenceCharactersMax = 300;

/** Reads the body of a refusal; `text` is the raw body, which may be a plain sentence. */
export function readRefusal(body: unknown, text: string): Pick<Refused, "reason" | "description" | "errors"> {
  const objects = [body, fieldOf(body, "error"), fieldOf(body, "errors"), firstOf(fieldOf(body, "errors"))];
  return {
    reason: storable(firstText(objects, reasonNames) ?? "unknown"),
    description: storable(firstText(objects, descriptionNames) ?? (body === undefined ? sentenceIn(text) : "")),
    errors: readErrors(fieldOf(body, "errors")),
  };
}

/** Replaces what PostgreSQL rejects: NUL and unpaired surrogates. */
export function storable(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}

// Ignores HTML pages and long texts.
function sentenceIn(text: string): string {
  const sentence = text.trim();
  return sentence.length <= sentenceCharactersMax && !sentence.startsWith("<") ? sentence : "";
}

function firstText(objects: unknown[], names: string[]): string | undefined {
  const values = objects.flatMap((object) => names.map((name) => fieldOf(object, name)));
  return values.find((value) => typeof value === "string" && value !== "") as string | undefined;
}

function readErrors(errors: unknown): FieldProblem[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error) => {
    const [field, message] = [fieldOf(error, "field"), fieldOf(error, "message")];
    return typeof field === "string" && typeof message === "string"
      ? [{ field: storable(field), message: storable(message) }]
      : [];
  });
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

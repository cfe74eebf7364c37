import {
  type ErrorBody,
  type ErrorReason,
  type ErrorStatus,
  type FieldProblem,
  type OAuthErrorBody,
  type OAuthErrorCode,
  type OAuthReason,
  oauthRefusals,
  refusals,
} from "../../../contract/errors.ts";

/** A documented error; the contract's tables hold its status and sentence. */
export type Refusal = {
  refuse: RefusalReason;
  detail?: string;
  errors?: FieldProblem[];
  /** Override the reason's headers. */
  headers?: Record<string, string>;
  /** The exact cause, for the operator's log only. */
  cause?: string;
  /** The owner of the refused credential, for the log only. */
  clientId?: string;
};

export type RefusalReason = ErrorReason | OAuthReason;

export function refuse(
  reason: Exclude<RefusalReason, "validation_failed">,
  more: Pick<Refusal, "detail" | "cause" | "headers" | "clientId"> = {},
): Refusal {
  return { refuse: reason, ...more };
}

export function refuseFields(errors: FieldProblem[]): Refusal {
  return { refuse: "validation_failed", errors };
}

/** A thrown refusal. Operations return refusals; functions named `require…` throw them. */
export class ServiceError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(sentenceOf(refusal));
    this.name = "ServiceError";
    this.refusal = refusal;
  }
}

export function statusOf(reason: RefusalReason): ErrorStatus {
  return entryOf(reason).status;
}

const basicChallenge = { "www-authenticate": 'Basic realm="Plainbook", charset="UTF-8"' };
const bearerChallenge = { "www-authenticate": 'Bearer realm="Plainbook"' };
const badTokenChallenge = { "www-authenticate": 'Bearer realm="Plainbook", error="invalid_token"' };
const inASecond = { "retry-after": "1" };

// RFC 9110 sections 10.2.3 and 11.6.1, RFC 6750 section 3.
const headersByReason: Partial<Record<RefusalReason, Record<string, string>>> = {
  invalid_client: basicChallenge,
  missing_token: bearerChallenge,
  invalid_token: badTokenChallenge,
  token_expired: badTokenChallenge,
  token_superseded: badTokenChallenge,
  rate_limited: inASecond,
  unavailable: inASecond,
};

export function headersOf({ refuse: reason, headers }: Refusal): Record<string, string> {
  return { ...headersByReason[reason], ...headers };
}

// RFC 9110 section 15. Not from node:http, which only outbound may import.
const statusNames: Record<ErrorStatus, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
};

export function presentRefusal(refusal: Refusal, requestId: string): ErrorBody {
  const { refuse: reason, errors } = refusal;
  const code = statusOf(reason);
  return {
    code,
    name: statusNames[code],
    description: sentenceOf(refusal),
    reason,
    ...(errors && { errors }),
    request_id: requestId,
  };
}

/** The body of a refusal at the OAuth endpoints (RFC 6749 section 5.2). Decision D5 */
export function presentOAuthRefusal(refusal: Refusal): OAuthErrorBody & { error: OAuthErrorCode } {
  const [first] = refusal.errors ?? [];
  return {
    error: oauthErrorOf(refusal.refuse),
    error_description: asciiText(
      first?.field ? `${first.field}: ${first.message}` : (first?.message ?? sentenceOf(refusal)),
    ),
  };
}

function oauthErrorOf(reason: RefusalReason): OAuthErrorCode {
  if (isOAuthReason(reason) || reason === "invalid_client") return reason;
  if (reason === "rate_limited" || reason === "unavailable") return "temporarily_unavailable";
  return statusOf(reason) >= 500 ? "server_error" : "invalid_request";
}

function sentenceOf({ refuse: reason, detail }: Refusal): string {
  return detail ?? entryOf(reason).sentence;
}

function entryOf(reason: RefusalReason): { status: ErrorStatus; sentence: string } {
  return isOAuthReason(reason) ? oauthRefusals[reason] : refusals[reason];
}

function isOAuthReason(reason: RefusalReason): reason is OAuthReason {
  return Object.hasOwn(oauthRefusals, reason);
}

// Printable ASCII without quote and backslash (RFC 6749 appendix A.8), because field names come from the request.
function asciiText(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?");
}

import {
  type ErrorBody,
  type ErrorReason,
  errorStatuses,
  type FieldProblem,
  type OAuthErrorBody,
} from "../../../contract/errors.ts";

/** A documented answer that is no success. `errors` come with `validation_failed`; headers add to the usual ones. */
export type Refusal = {
  refuse: ErrorReason;
  description: string;
  errors?: FieldProblem[];
  headers?: Record<string, string>;
  /** Whose request it was, where a refused credential still tells. Never part of the answer. */
  clientId?: string;
};

/** The refusal of a request that can succeed in a moment: what it needs is not to be had just now. */
export function refuseBusy(): Refusal {
  return { refuse: "unavailable", description: "Try again in a moment.", headers: { "retry-after": "1" } };
}

/** A refusal from deep inside the frame. What operations refuse is returned; what `require…` refuses is thrown as this. */
export class ServiceError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.description);
    this.name = "ServiceError";
    this.refusal = refusal;
  }
}

// RFC 9110 section 15; in code and not from node:http, so that only outbound imports what can dial out.
const statusNames: Record<(typeof errorStatuses)[ErrorReason], string> = {
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

/** The body of a refusal. Decision D5 */
export function presentRefusal({ refuse, description, errors }: Refusal, requestId: string): ErrorBody {
  const code = errorStatuses[refuse];
  return {
    code,
    name: statusNames[code],
    description,
    reason: refuse,
    ...(errors && { errors }),
    request_id: requestId,
  };
}

/** The same for the token and revocation endpoints, which answer as RFC 6749 section 5.2 says. Decision D5 */
export function presentOAuthRefusal({ refuse, description, errors }: Refusal): OAuthErrorBody {
  const [first] = errors ?? [];
  return {
    error: oauthErrorOf(refuse),
    error_description: asciiText(first ? `${first.field}: ${first.message}` : description),
  };
}

function oauthErrorOf(reason: ErrorReason) {
  if (reason === "invalid_client") return "invalid_client";
  if (reason === "rate_limited" || reason === "unavailable") return "temporarily_unavailable";
  return errorStatuses[reason] >= 500 ? "server_error" : "invalid_request";
}

// error_description holds printable ASCII without quote and backslash (RFC 6749 appendix A.8); field names come from outside.
function asciiText(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?");
}

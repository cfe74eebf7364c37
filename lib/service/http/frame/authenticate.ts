import { limits } from "../../../contract/limits.ts";
import { isSameSecret } from "../../../kit/secrets.ts";
import { serviceConfig } from "../../config.ts";
import {
  authenticateAccessToken,
  authenticateClient,
  type ClientCaller,
  type UserCaller,
} from "../../operations/tokens/authenticate.ts";
import type { RequestFacts } from "./answer-request.ts";
import { readBody, requireAcceptsJson } from "./read-request.ts";
import { refuse, ServiceError } from "./refusal.ts";

// Padded base64 and nothing after it, so two credentials in one header are refused.
const basicScheme = /^basic +((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i;

/** A client's id and the secret that proves it. */
export type ClientCredentials = { clientId: string; clientSecret: string };

/** The client of the request's Basic credentials. Throws invalid_client, the same for every cause. Decision D2 */
export function requireClient(headers: Headers): Promise<ClientCaller> {
  const header = headers.get("authorization");
  return requireAuthentic(header === null ? "missing" : parseBasic(header));
}

/**
 * The same at the OAuth endpoints. Without an Authorization header the body is read and may name the client
 * (client_secret_post); `facts` keeps it without the secret.
 */
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

/** Id and secret of an `Authorization: Basic` header, both form-url-decoded (RFC 6749 section 2.3.1), or undefined. */
export function parseBasic(header: string | null): ClientCredentials | undefined {
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

// RFC 6750 section 2.1; the scheme in any case.
const bearerScheme = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Lets the operator's own token pass, and no other. */
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

/** The user of the bearer token in the Authorization header. Throws the 401s of Decision D5. */
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

import * as z from "zod/mini";
import { limits } from "../../contract/limits.ts";
import { text, uuid } from "../../contract/text.ts";
import { codeChallenge } from "../../contract/tokens.ts";

/** Ids are in lower case. */
export type AuthorizationRequest = {
  clientId: string;
  clientName: string;
  redirectUri: string;
  state: string | undefined;
  codeChallenge: string | undefined;
  sessionToken: string | undefined;
  person: AuthorizationPerson;
};

export type AuthorizationPerson =
  | { kind: "user_intent"; userIntentId: string }
  | { kind: "user"; userId: string }
  | { kind: "of_session_token" };

export type RegisteredClient = {
  id: string;
  name: string;
  redirectUris: string[];
  isTrustedAuthenticationEnabled: boolean;
};

/** RFC 6749 section 4.1.2.1. */
export type AuthorizationError = "invalid_request" | "unsupported_response_type" | "access_denied";

/**
 * `refused`: redirect_uri isn't verifiably the client's, so there's no redirect. `sent_back`: an error for the client.
 */
export type CheckedAuthorizationRequest =
  | { kind: "request"; request: AuthorizationRequest }
  | { kind: "refused"; problem: "client_id" | "redirect_uri" }
  | {
      kind: "sent_back";
      redirectUri: string;
      state: string | undefined;
      error: AuthorizationError;
      description: string;
    };

/**
 * Checks the query of `GET /login/oauth/authorize` against its client (undefined for an unknown client_id). Empty
 * parameters count as absent, unknown ones are ignored, repeated ones refused (RFC 6749 section 3.1). Decision D9
 */
export function checkAuthorizationRequest(
  query: URLSearchParams,
  client: RegisteredClient | undefined,
): CheckedAuthorizationRequest {
  if (!client || singleParameter(query, "client_id") !== client.id) return { kind: "refused", problem: "client_id" };
  const redirectUri = singleParameter(query, "redirect_uri");
  // Exact comparison, so that URL parsers can't disagree.
  if (!redirectUri || !client.redirectUris.includes(redirectUri)) return { kind: "refused", problem: "redirect_uri" };

  const statedState = singleParameter(query, "state");
  const state = statedState !== undefined && isState(statedState) ? statedState : undefined;
  const sentBack = (description: string, error: AuthorizationError = "invalid_request") =>
    ({ kind: "sent_back", redirectUri, state, error, description }) as const;

  const repeated = parameters.find((name) => query.getAll(name).length > 1);
  if (repeated) return sentBack(`The parameter ${repeated} is repeated.`);
  if (state !== statedState)
    return sentBack(`state has at most ${limits.stateCharactersMax} characters, and no control characters.`);

  const responseType = singleParameter(query, "response_type");
  if (!responseType) return sentBack("response_type is missing.");
  if (responseType !== "code") return sentBack("response_type must be code.", "unsupported_response_type");

  const challenge = singleParameter(query, "code_challenge");
  const problem = findChallengeProblem(challenge, singleParameter(query, "code_challenge_method"));
  if (problem) return sentBack(problem);
  const sessionToken = singleParameter(query, "session_token");
  if (client.isTrustedAuthenticationEnabled && !sessionToken) return sentBack("session_token is missing.");
  const person = checkPerson(query, sessionToken !== undefined);
  if (typeof person === "string") return sentBack(person);

  return {
    kind: "request",
    request: {
      clientId: client.id,
      clientName: client.name,
      redirectUri,
      state,
      codeChallenge: challenge,
      sessionToken,
      person,
    },
  };
}

/** The query's client_id, if there is exactly one and it's well-formed. */
export function clientIdOf(query: URLSearchParams): string | undefined {
  const clientId = singleParameter(query, "client_id");
  return text(limits.clientIdCharactersMax).safeParse(clientId).success ? clientId : undefined;
}

/**
 * Whether a session token was minted for the named person. A query must name the intent of a token minted for one; naming
 * the user is optional (published rule).
 */
export function isNamedPerson(
  named: AuthorizationPerson,
  minted: { userIntentId: string | null; userId: string | null },
): boolean {
  switch (named.kind) {
    case "user_intent":
      return named.userIntentId === minted.userIntentId;
    case "user":
      return named.userId === minted.userId;
    case "of_session_token":
      return minted.userId !== null;
  }
}

export function authorizationResponseUrl(redirectUri: string, answer: Record<string, string | undefined>): string {
  const given = Object.entries(answer).filter((entry): entry is [string, string] => entry[1] !== undefined);
  // A redirect can't carry these characters. Only addresses registered before they were refused have them.
  const sendable = redirectUri.replaceAll(/[;\u0080-\uffff]+/g, encodeURIComponent);
  return `${sendable}${sendable.includes("?") ? "&" : "?"}${new URLSearchParams(given)}`;
}

const parameters = [
  "state",
  "response_type",
  "code_challenge",
  "code_challenge_method",
  "session_token",
  "user_intent_id",
  "user_id",
] as const;

function singleParameter(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  return values.length === 1 && values[0] !== "" ? values[0] : undefined;
}

function findChallengeProblem(challenge: string | undefined, method: string | undefined): string | undefined {
  if (challenge === undefined && method === undefined) return undefined;
  if (challenge === undefined) return "code_challenge is missing.";
  // RFC 7636 defaults to "plain", which protects nothing.
  if (method !== "S256") return "code_challenge_method must be S256.";
  const isWellFormed = codeChallenge.safeParse(challenge).success;
  return isWellFormed ? undefined : "code_challenge must be 43 characters of base64url.";
}

/** The person whom the query names, or what is wrong with it. */
function checkPerson(query: URLSearchParams, hasSessionToken: boolean): AuthorizationPerson | string {
  const userIntentId = singleParameter(query, "user_intent_id");
  const userId = singleParameter(query, "user_id");
  if (userIntentId !== undefined && userId !== undefined) return "Send either user_intent_id or user_id, not both.";
  if (userIntentId !== undefined) {
    const id = lowerCaseUuid.safeParse(userIntentId);
    return id.success ? { kind: "user_intent", userIntentId: id.data } : "user_intent_id must be a UUID.";
  }
  if (userId !== undefined) {
    const id = lowerCaseUuid.safeParse(userId);
    return id.success ? { kind: "user", userId: id.data } : "user_id must be a UUID.";
  }
  if (!hasSessionToken) return "Send either user_intent_id or user_id.";
  return { kind: "of_session_token" };
}

const lowerCaseUuid = z.pipe(
  uuid,
  z.transform((id: string) => id.toLowerCase()),
);

/** RFC 6749 requires printable ASCII. We echo any text without control characters. */
function isState(text: string): boolean {
  return [...text].length <= limits.stateCharactersMax && !/\p{Cc}/u.test(text) && text.isWellFormed();
}

import { setTimeout as pause } from "node:timers/promises";
import type { CookieStore } from "iron-session";
import { type Answer, decisionOf, type TokenPair, type Unsuccessful, type User } from "#client";
import { isSamePhone } from "../../contract/identity-verification.ts";
import { log } from "../../kit/log.ts";
import type { TraceId } from "../../kit/trace.ts";
import { refreshAccount } from "../connections/refresh-users.ts";
import type { Partner } from "../partner.ts";
import type { Person } from "../storage/people.ts";
import { beginRead, connectServiceUser, findServiceUserOfPerson } from "../storage/service-users.ts";
import { storeTokenPair } from "../storage/token-pairs.ts";
import { callbackAddress, type PendingAuthorization, takeAuthorization } from "./pending-authorization.ts";

/** Where the person goes on, or what went wrong. */
export type FinishedAuthorization = { kind: "ok"; returnTo: string } | { kind: "problem"; problem: CallbackProblem };

/**
 * What `/callback` does, in this order: does it answer an attempt of this very browser, is its person the one who is signed in,
 * does it come from our service, did the person consent; then the code is spent, and the user behind it must be the one expected.
 * @param query of the callback's address
 */
export async function finishAuthorization(
  partner: Partner,
  query: URLSearchParams,
  cookies: CookieStore,
  person: Person | undefined,
): Promise<FinishedAuthorization> {
  const state = query.get("state");
  if (!state && partner.config.isStateUsed) {
    log().error(
      "the browser came back without state: if the service never returns it, remove state from PARTNER_SERVICE_FEATURES (risk: see .env.example)",
    );
    return problem("missing_state");
  }
  const pending = await takeAuthorization(partner, cookies, state ?? "");
  if (!pending) return problem("unknown_attempt");
  const trouble =
    person?.id === pending.personId ? await completeAuthorization(partner, query, pending, person) : "other_person";
  if (trouble) {
    log().warn({ traceId: pending.traceId, problem: trouble }, "an authorization came back without success");
    return problem(trouble);
  }
  log().info({ traceId: pending.traceId, purpose: pending.purpose }, "an authorization came back");
  return { kind: "ok", returnTo: pending.returnTo };
}

/**
 * What a way back means for the attempt that it answers: undefined when the code was spent and its user is connected, else
 * what went wrong. The caller has made sure that it answers this attempt and that its person is here.
 */
export async function completeAuthorization(
  partner: Partner,
  query: URLSearchParams,
  pending: PendingAuthorization,
  person: Person,
): Promise<CallbackProblem | undefined> {
  const issuer = await checkIssuer(partner, query.get("iss"), pending.traceId);
  if (issuer.kind === "wrong") return "wrong_issuer";
  if (issuer.kind !== "right") return problemForAnswer(issuer);
  if (query.has("error")) return problemOfError(query.get("error"));
  const code = query.get("code");
  if (!code) return "failed";

  const { traceId } = pending;
  const codeVerifier = partner.config.isCodeChallengeUsed ? pending.codeVerifier : undefined;
  const answer = await partner.client.exchangeCode(
    { code, codeVerifier, redirectUri: callbackAddress(partner) },
    { traceId },
  );
  if (answer.kind === "ok") return connectUser(partner, answer.body, pending, person);
  return answer.kind === "refused" && answer.reason === "invalid_grant" ? "expired_code" : problemForAnswer(answer);
}

// RFC 6749 section 4.1.2.1
function problemOfError(error: string | null): CallbackProblem {
  if (error === "access_denied") return "denied";
  return error === "temporarily_unavailable" || error === "server_error" ? "not_now" : "failed";
}

function problem(name: CallbackProblem): FinishedAuthorization {
  return { kind: "problem", problem: name };
}

/**
 * Whether an answer comes from our service, by its `iss` (RFC 9207, Decision D18): another one is always wrong, a missing
 * one only where the service announces that it sends it. An answer without success when that could not be found out.
 */
export async function checkIssuer(
  partner: Partner,
  issuer: string | null,
  traceId: TraceId,
): Promise<{ kind: "right" } | { kind: "wrong" } | Unsuccessful> {
  if (issuer !== null) return { kind: issuer === partner.config.serviceBaseUrl ? "right" : "wrong" };
  const announced = await partner.client.readAuthorizationServerMetadata({ traceId });
  if (announced.kind === "ok") {
    return { kind: announced.body.authorization_response_iss_parameter_supported ? "wrong" : "right" };
  }
  // The document is not published: whoever has none may refuse in any way, but not for a moment only.
  const hasNoDocument = announced.kind === "refused" && announced.status < 500 && announced.status !== 429;
  return hasNoDocument ? { kind: "right" } : announced;
}

/**
 * Keeps a pair that was just exchanged, if it is for the user expected: asked is not the browser but the service, with
 * the new access token (Decision D18). A pair for anybody else is dropped, so that nobody holds it; revoking it would end
 * the connection of whom it belongs to.
 */
export async function connectUser(
  partner: Partner,
  pair: TokenPair,
  pending: PendingAuthorization,
  person: Person,
): Promise<CallbackProblem | undefined> {
  const { traceId } = pending;
  const { answer, read } = await readUserWithRetries(partner, pair.access_token, traceId);
  if (answer.kind !== "ok") return problemForAnswer(answer);
  const difference = mismatchOf(partner, answer.body, pending, person);
  const isKept = difference === undefined && (await keep(partner, answer.body, read, pair, pending));
  if (!isKept) {
    log().warn(
      { traceId, difference: difference ?? "person" },
      "the service authorized another user than the one expected",
    );
    return "other_user";
  }
  if (!(await refreshAccount(partner, answer.body.id))) await refreshAccount(partner, answer.body.id);
  return undefined;
}

// What knows of a new token may be a moment behind what issued it.
const pausesMs = [300, 1000, 2500];

async function readUserWithRetries(
  partner: Partner,
  accessToken: string,
  traceId: TraceId,
): Promise<{ answer: Answer<User>; read: number }> {
  const pauses = pausesMs.values();
  for (;;) {
    const read = await beginRead(partner.db);
    const answer = await partner.client.readUser(accessToken, { traceId });
    if (answer.kind === "ok" || (answer.kind === "unreachable" && answer.cause === "timeout")) return { answer, read };
    const { value: pauseMs } = pauses.next();
    if (pauseMs === undefined) return { answer, read };
    await pause(pauseMs);
  }
}

// Until the user's id is known, the phone tells: it was proven to Harbor by a code, and belongs to one user of the service.
// Whatever fits, the business's user is for the business alone: a seller who held its tokens could spend its money.
function mismatchOf(
  partner: Partner,
  user: User,
  { purpose, expectedUserId }: PendingAuthorization,
  person: Person,
): "id" | "user_type" | "phone" | undefined {
  const { businessUserId } = partner.config;
  if (purpose === "business") return user.id === businessUserId ? undefined : "id";
  if (user.id === businessUserId) return "id";
  // Other words than these two are not known, and none of them says that this is a business.
  if (user.user_type.toLowerCase() === "business") return "user_type";
  if (expectedUserId) return user.id === expectedUserId ? undefined : "id";
  return isSamePhone(user.phone, person.phone) ? undefined : "phone";
}

function keep(
  partner: Partner,
  user: User,
  read: number,
  pair: TokenPair,
  { purpose, personId }: PendingAuthorization,
): Promise<boolean> {
  const record = {
    id: user.id,
    // The business's connection belongs to the business, whoever opened it.
    personId: purpose === "seller" ? personId : null,
    userType: user.user_type,
    status: user.status,
    firstName: user.first_name,
    lastName: user.last_name,
  };
  return partner.inTransaction(async (tx) => {
    const known = await connectServiceUser(tx, record, read);
    if (known) await storeTokenPair(partner.config.keyring, tx, user.id, pair);
    return known !== undefined;
  });
}

/** Every way in which coming back from the service can fail; each has a page with one way forward. */
export const callbackProblems = [
  "denied",
  "expired_code",
  "unknown_attempt",
  "missing_state",
  "wrong_issuer",
  "other_person",
  "other_user",
  "unavailable",
  "not_now",
  "not_understood",
  "failed",
] as const;
export type CallbackProblem = (typeof callbackProblems)[number];

/** Whether the text is one of ours: it comes back from an address, where anybody can write anything. */
export function isCallbackProblem(text: unknown): text is CallbackProblem {
  return callbackProblems.some((problem) => problem === text);
}

/** What to tell of an answer that cannot be worked with; that the service did not answer is said only where nothing came. */
export function problemForAnswer(answer: Unsuccessful): CallbackProblem {
  if (answer.kind === "unreachable") return "unavailable";
  if (answer.kind === "unreadable") return "not_understood";
  return decisionOf(answer) === "definite" ? "failed" : "not_now";
}

/** Where a person can begin an authorization anew, and what the link there says. */
export async function nextLink(partner: Partner, person: Person | undefined): Promise<{ href: string; label: string }> {
  if (!person) return { href: "/sign-in", label: "Sign in" };
  if (person.role === "operator") return { href: "/business", label: "Back to the business" };
  const user = await findServiceUserOfPerson(partner.db, person.id);
  return user
    ? { href: "/dashboard", label: "Back to your dashboard" }
    : { href: "/onboarding/status", label: "Back to your payment account" };
}

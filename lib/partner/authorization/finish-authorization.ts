import { setTimeout as pause } from "node:timers/promises";
import { type CookieStore, getIronSession } from "iron-session";
import { type Answer, decisionOf, type TokenPair, type Unsuccessful, type User } from "#client";
import { isSamePhone } from "../../contract/identity-verification.ts";
import { limits } from "../../contract/limits.ts";
import { log } from "../../kit/log.ts";
import { isSameSecret } from "../../kit/secrets.ts";
import type { TraceId } from "../../kit/trace.ts";
import { refreshAccount } from "../connections/connected-users.ts";
import type { Partner } from "../partner.ts";
import type { Person } from "../storage/people.ts";
import { beginRead, connectServiceUser, findServiceUserOfPerson } from "../storage/service-users.ts";
import { storeTokenPair } from "../storage/token-pairs.ts";
import { words } from "../words/words.ts";

/** Every way the callback can fail; each has a page. */
export const callbackProblems = [
  "denied",
  "expired_code",
  "unknown_attempt",
  "missing_state",
  "wrong_issuer",
  "other_person",
  "signed_out",
  "other_user",
  "unavailable",
  "not_now",
  "not_understood",
  "failed",
] as const;
export type CallbackProblem = (typeof callbackProblems)[number];

export function isCallbackProblem(text: unknown): text is CallbackProblem {
  return callbackProblems.some((problem) => problem === text);
}

export type FinishedAuthorization = { kind: "ok"; returnTo: string } | { kind: "problem"; problem: CallbackProblem };

/** Handles `/callback`, whose query the service sent. */
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
    person?.id === pending.personId
      ? await completeAuthorization(partner, query, pending, person)
      : person
        ? "other_person"
        : "signed_out";
  if (trouble) {
    log().warn({ traceId: pending.traceId, problem: trouble }, "an authorization did not complete");
    return problem(trouble);
  }
  log().info({ traceId: pending.traceId, purpose: pending.purpose }, "an authorization completed");
  return { kind: "ok", returnTo: pending.returnTo };
}

function problem(name: CallbackProblem): FinishedAuthorization {
  return { kind: "problem", problem: name };
}

/** Checks issuer and consent, exchanges the code and connects the user. Undefined on success. */
export async function completeAuthorization(
  partner: Partner,
  query: URLSearchParams,
  pending: PendingAuthorization,
  person: Person,
): Promise<CallbackProblem | undefined> {
  const issuer = await checkIssuer(partner, query.get("iss"), pending.traceId);
  if (issuer.kind === "wrong") return "wrong_issuer";
  if (issuer.kind !== "right") return problemForAnswer(issuer);
  if (query.has("error")) return problemForError(query.get("error"));
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
function problemForError(error: string | null): CallbackProblem {
  if (error === "access_denied") return "denied";
  return error === "temporarily_unavailable" || error === "server_error" ? "not_now" : "failed";
}

/** The problem behind an unsuccessful answer; `unavailable` only if there was no answer. */
export function problemForAnswer(answer: Unsuccessful): CallbackProblem {
  if (answer.kind === "unreachable") return "unavailable";
  if (answer.kind === "unreadable") return "not_understood";
  return decisionOf(answer) === "definite" ? "failed" : "not_now";
}

/**
 * Checks `iss` (RFC 9207, Decision D18). A different issuer is always wrong; a missing one only if the service's
 * metadata says that it sends `iss`.
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
  // The metadata document is optional, so a permanent error means that there is none.
  if (announced.kind !== "refused") return announced;
  const isPermanent = announced.status === 501 || (announced.status < 500 && announced.status !== 429);
  return isPermanent ? { kind: "right" } : announced;
}

/**
 * Stores a new token pair if the service says it belongs to the expected user (Decision D18). Any other pair is dropped
 * but not revoked: revoking it would end that user's own connection.
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
  const mismatch = mismatchOf(partner, answer.body, pending, person);
  const isStored = mismatch === undefined && (await storeConnection(partner, answer.body, read, pair, pending));
  if (!isStored) {
    log().warn(
      { traceId, difference: mismatch ?? "person" },
      "the service authorized another user than the one expected",
    );
    return "other_user";
  }
  if (!(await refreshAccount(partner, answer.body.id))) await refreshAccount(partner, answer.body.id);
  return undefined;
}

// A new token can take a moment to work everywhere.
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

// Until the user's id is known, match by phone: Harbor verified it, and at the service it belongs to one user. Only the
// business may get the business user's tokens: a seller who has them could spend its money.
function mismatchOf(
  partner: Partner,
  user: User,
  { purpose, expectedUserId }: PendingAuthorization,
  person: Person,
): "id" | "user_type" | "phone" | undefined {
  const { businessUserId } = partner.config;
  if (purpose === "business") return user.id === businessUserId ? undefined : "id";
  if (user.id === businessUserId) return "id";
  if (user.user_type.toLowerCase() === "business") return "user_type";
  if (expectedUserId) return user.id === expectedUserId ? undefined : "id";
  return isSamePhone(user.phone, person.phone) ? undefined : "phone";
}

function storeConnection(
  partner: Partner,
  user: User,
  read: number,
  pair: TokenPair,
  { purpose, personId }: PendingAuthorization,
): Promise<boolean> {
  const record = {
    id: user.id,
    // The business's connection belongs to no person.
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

/** Where a person continues after a problem. */
export async function nextLink(partner: Partner, person: Person | undefined): Promise<{ href: string; label: string }> {
  const t = words("callback.links");
  if (!person) return { href: "/sign-in", label: t("signIn") };
  if (person.role === "operator") return { href: "/business", label: t("business") };
  const user = await findServiceUserOfPerson(partner.db, person.id);
  return user ? { href: "/dashboard", label: t("dashboard") } : { href: "/onboarding/status", label: t("onboarding") };
}

export type PendingAuthorization = {
  state: string;
  codeVerifier: string;
  /** Who is signed in; an operator opens the business's connection. */
  personId: string;
  purpose: "seller" | "business";
  /** The service's id of the user who must come back, once known. */
  expectedUserId?: string | undefined;
  returnTo: string;
  traceId: string;
};

// The combined lifetime of session token, visit and code.
const pendingSeconds = limits.identityVerificationTokenSeconds + limits.visitSeconds + limits.authorizationCodeSeconds;
// Without state, any callback matches this browser's last attempt, so that attempt is kept for a shorter time.
const lastAttemptSeconds = 10 * 60;
// iron-session expires the cookie this much earlier than its contents.
const cookieSkewSeconds = 60;

// Of the 16 KiB that a request's headers can have.
const earlierBytesMax = 6 * 1024;

/**
 * Stores the attempt in its own encrypted cookie, so that two tabs don't interfere. Drops the oldest for which there's no
 * room: browsers send cookies in the order in which they were made.
 */
export async function rememberAuthorization(
  partner: Partner,
  cookies: CookieStore,
  pending: PendingAuthorization,
): Promise<void> {
  const { prefix, options } = cookieOf(partner);
  const earlier = (cookies.getAll?.() ?? []).filter(({ name }) => name.startsWith(prefix));
  let bytes = 0;
  for (const { name, value } of earlier.toReversed()) {
    bytes += value.length;
    if (bytes > earlierBytesMax) cookies.set(name, "", { ...options, maxAge: 0 });
  }
  const session = await openCookie(partner, cookies, pending.state);
  Object.assign(session, pending);
  await session.save();
}

/** Reads and deletes the attempt with this state. Without state (PARTNER_SERVICE_FEATURES): the last attempt. */
export async function takeAuthorization(
  partner: Partner,
  cookies: CookieStore,
  state: string,
): Promise<PendingAuthorization | undefined> {
  const { isStateUsed } = partner.config;
  if (isStateUsed && !/^[A-Za-z0-9_-]{43}$/.test(state)) return undefined;
  const session = await openCookie(partner, cookies, state);
  const { state: expectedState, codeVerifier, personId, purpose, expectedUserId, returnTo, traceId } = session;
  if (!expectedState || !codeVerifier || !personId || !purpose || !returnTo || !traceId) return undefined;
  session.destroy();
  if (isStateUsed && !isSameSecret(expectedState, state)) return undefined;
  return { state: expectedState, codeVerifier, personId, purpose, expectedUserId, returnTo, traceId };
}

function openCookie(partner: Partner, cookies: CookieStore, state: string) {
  const { sessionSecret, isStateUsed } = partner.config;
  const { prefix, options } = cookieOf(partner);
  return getIronSession<Partial<PendingAuthorization>>(cookies, {
    cookieName: prefix + (isStateUsed ? state.slice(0, 8) : "last"),
    password: sessionSecret,
    ttl: (isStateUsed ? pendingSeconds : lastAttemptSeconds) + cookieSkewSeconds,
    cookieOptions: options,
  });
}

function cookieOf({ config }: Partner) {
  const isSecure = new URL(config.baseUrl).protocol === "https:";
  return {
    prefix: `${isSecure ? "__Host-" : ""}harbor-authorization-`,
    // Lax: the redirect back is a cross-site navigation.
    options: { httpOnly: true, sameSite: "lax" as const, secure: isSecure, path: "/" },
  };
}

export function callbackAddress(partner: Partner): string {
  return `${partner.config.baseUrl}/callback`;
}

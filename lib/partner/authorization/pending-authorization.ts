import { type CookieStore, getIronSession } from "iron-session";
import { limits } from "../../contract/limits.ts";
import { isSameSecret } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";

/** What Harbor must remember while a person is at the authorization pages: who it is for, and how to know the answer. */
export type PendingAuthorization = {
  state: string;
  codeVerifier: string;
  /** Who is signed in; the business's connection is opened by an operator but belongs to the business. */
  personId: string;
  purpose: "seller" | "business";
  /** The service's id of the user who must come back, once it is known. */
  expectedUserId?: string | undefined;
  /** Where the person was. */
  returnTo: string;
  traceId: string;
};

// The longest way there and back: the token waits to be spent, the visit takes all its time, and so does the code.
const pendingSeconds = limits.identityVerificationTokenSeconds + limits.visitSeconds + limits.authorizationCodeSeconds;
// Without state an answer is for the last attempt of this browser, whichever that was: it is remembered for as long as a
// person needs who is led through the pages at once.
const lastAttemptSeconds = 10 * 60;
// iron-session lets a cookie end this much before its contents.
const cookieSkewSeconds = 60;

/** Keeps it in an encrypted cookie of this browser, one for each attempt, so that two tabs do not mix. */
export async function rememberAuthorization(
  partner: Partner,
  cookies: CookieStore,
  pending: PendingAuthorization,
): Promise<void> {
  const session = await openCookie(partner, cookies, pending.state);
  Object.assign(session, pending);
  await session.save();
}

/**
 * Takes back what was remembered for this state, once. Undefined in another browser, for another state, and when the
 * service itself would take no code of that visit any more. Without state (PARTNER_SERVICE_FEATURES): of the last attempt.
 */
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
  const { baseUrl, sessionSecret, isStateUsed } = partner.config;
  const isSecure = new URL(baseUrl).protocol === "https:";
  return getIronSession<Partial<PendingAuthorization>>(cookies, {
    cookieName: `${isSecure ? "__Host-" : ""}harbor-authorization-${isStateUsed ? state.slice(0, 8) : "last"}`,
    password: sessionSecret,
    ttl: (isStateUsed ? pendingSeconds : lastAttemptSeconds) + cookieSkewSeconds,
    // Lax and not Strict: the way back from the service is a navigation from another site.
    cookieOptions: { httpOnly: true, sameSite: "lax", secure: isSecure, path: "/" },
  });
}

/** Our registered redirect_uri, to be sent character for character the same each time. */
export function callbackAddress(partner: Partner): string {
  return `${partner.config.baseUrl}/callback`;
}

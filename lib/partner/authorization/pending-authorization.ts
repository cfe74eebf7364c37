import { type CookieStore, getIronSession } from "iron-session";
import { limits } from "../../contract/limits.ts";
import { isSameSecret } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";

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

// As long as session token, visit and code can take together.
const pendingSeconds = limits.identityVerificationTokenSeconds + limits.visitSeconds + limits.authorizationCodeSeconds;
// Without state, any answer counts for this browser's last attempt, so it is remembered for a shorter time.
const lastAttemptSeconds = 10 * 60;
// iron-session ends a cookie this much before its contents.
const cookieSkewSeconds = 60;

/** Stores it in an encrypted cookie, one per attempt, so that two tabs don't mix. */
export async function rememberAuthorization(
  partner: Partner,
  cookies: CookieStore,
  pending: PendingAuthorization,
): Promise<void> {
  const session = await openCookie(partner, cookies, pending.state);
  Object.assign(session, pending);
  await session.save();
}

/** Takes back what was remembered for this state, once. Without state (PARTNER_SERVICE_FEATURES): the last attempt. */
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
    // Lax: the way back is a cross-site navigation.
    cookieOptions: { httpOnly: true, sameSite: "lax", secure: isSecure, path: "/" },
  });
}

export function callbackAddress(partner: Partner): string {
  return `${partner.config.baseUrl}/callback`;
}

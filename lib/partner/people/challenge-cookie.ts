import { getIronSession } from "iron-session";
import { cookies } from "next/headers";
import type { Partner } from "../partner.ts";
import type { ChallengeKey } from "./challenge.ts";

/**
 * What this browser remembers between password and code, encrypted. `returnTo` is a path of ours, or empty. `phoneFirst` is
 * the email address of an account whose phone is to be proven before its password; the phone's ending is nobody's business
 * then, and empty. `isSignUp`: the phone may still be changed, because no account has it yet.
 */
export type PendingSignIn = {
  key: ChallengeKey;
  phoneEnding: string;
  codeDigits: number;
  returnTo: string;
  phoneFirst?: string;
  isSignUp?: boolean;
};

// As long as a challenge can be passed at all, new codes included (storage/sign-in-challenges.ts).
const pendingSeconds = 60 * 60;

/** The sign-in that this browser has begun; undefined when there is none or it is too long ago. */
export async function readPendingSignIn(partner: Partner): Promise<PendingSignIn | undefined> {
  const { pending } = await openCookie(partner);
  return pending;
}

/** Remembers a begun sign-in in this browser. */
export async function rememberPendingSignIn(partner: Partner, pending: PendingSignIn): Promise<void> {
  const cookie = await openCookie(partner);
  cookie.pending = pending;
  await cookie.save();
}

/** Forgets it, once it has been passed. */
export async function forgetPendingSignIn(partner: Partner): Promise<void> {
  (await openCookie(partner)).destroy();
}

async function openCookie(partner: Partner) {
  const { baseUrl, sessionSecret } = partner.config;
  const isSecure = new URL(baseUrl).protocol === "https:";
  return getIronSession<{ pending?: PendingSignIn }>(await cookies(), {
    cookieName: isSecure ? "__Host-harbor-sign-in" : "harbor-sign-in",
    password: sessionSecret,
    ttl: pendingSeconds,
    cookieOptions: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure },
  });
}

import { getIronSession } from "iron-session";
import { cookies } from "next/headers";
import type { Partner } from "../partner.ts";
import type { ChallengeKey } from "./challenge.ts";

/**
 * This browser's sign-in between password and code. `phoneFirst`: the email address of an account whose phone must be
 * verified before its password; `phoneEnding` is empty then. `email`: set for a sign-up, which can change email and phone.
 */
export type PendingSignIn = {
  key: ChallengeKey;
  phoneEnding: string;
  codeDigits: number;
  returnTo: string;
  phoneFirst?: string;
  email?: string;
};

// As long as a challenge can be completed (people/storage.ts).
const pendingSeconds = 60 * 60;

export async function readPendingSignIn(partner: Partner): Promise<PendingSignIn | undefined> {
  const { pending } = await openCookie(partner);
  return pending;
}

export async function rememberPendingSignIn(partner: Partner, pending: PendingSignIn): Promise<void> {
  const cookie = await openCookie(partner);
  cookie.pending = pending;
  await cookie.save();
}

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

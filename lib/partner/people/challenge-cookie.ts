import type { Partner } from "../partner.ts";
import { openEncryptedCookie } from "../requests/encrypted-cookie.ts";
import { withQuery } from "../requests/form-fields.ts";
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

/** Where to sign in again once the challenge is over. */
export function signInAgainAddress(pending: PendingSignIn | undefined): string {
  return withQuery("/sign-in", { ended: "code", return_to: pending?.returnTo || undefined });
}

function openCookie(partner: Partner) {
  return openEncryptedCookie<{ pending?: PendingSignIn }>(partner, "sign-in", pendingSeconds);
}

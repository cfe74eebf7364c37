import { limits } from "../../contract/limits.ts";
import { sha256 } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import { findOpenChallenge } from "../storage/sign-in-challenges.ts";
import type { ChallengeKey } from "./challenge.ts";

/** When the newest code of a challenge was sent, in milliseconds, and how long until another may be. */
export type ResendPause = { codeSentAt: number; secondsLeft: number };

/** How long the button "Resend code" does nothing; for a challenge that is over it need not wait. */
export async function readResendPause(partner: Partner, { id, secret }: ChallengeKey): Promise<ResendPause> {
  const challenge = await findOpenChallenge(partner.db, id, sha256(secret));
  if (!challenge) return { codeSentAt: 0, secondsLeft: 0 };
  const codeSentAt = challenge.codeSentRealAt.getTime();
  const pastSeconds = (Date.now() - codeSentAt) / 1000;
  const secondsLeft = Math.ceil(limits.verificationCodeResendSeconds - pastSeconds);
  return { codeSentAt, secondsLeft: Math.min(limits.verificationCodeResendSeconds, Math.max(0, secondsLeft)) };
}

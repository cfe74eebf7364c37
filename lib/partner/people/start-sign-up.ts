import { newId } from "../../kit/ids.ts";
import { clientNetwork } from "../../kit/networks.ts";
import { sha256 } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import { admitAttempt, type TooManyAttempts } from "./attempt-limits.ts";
import { type ChallengeKey, type OpenedChallenge, openChallenge, registrationOf } from "./challenge.ts";
import type { AttemptSource } from "./known-devices.ts";
import type { Recipient } from "./messages.ts";
import { hashPassword } from "./passwords.ts";
import type { Registration } from "./sign-in-fields.ts";
import { expireWaitingMessages, findOpenChallenge, spendSignUp } from "./storage.ts";

export type StartedSignUp = (OpenedChallenge & { kind: "challenged" }) | TooManyAttempts;

/**
 * Emails a code for a registration. The person is created once email address and phone are proven. A taken address gets
 * the same answer after the same work, and its owner gets a notice instead of a code.
 */
export async function startSignUp(
  partner: Partner,
  { first_name, last_name, email, phone, password }: Registration,
  { clientAddress }: Pick<AttemptSource, "clientAddress">,
): Promise<StartedSignUp> {
  const tooMany = await admitAttempt(partner, { sign_up_address: clientNetwork(clientAddress) });
  if (tooMany) return tooMany;
  const registration = {
    id: newId(),
    email,
    firstName: first_name,
    lastName: last_name,
    phone,
    role: "seller" as const,
    passwordHash: await hashPassword(password),
  };
  const opened = await openChallenge(partner, { kind: "sign_up", registration, isEmailProven: false });
  return { kind: "challenged", ...opened };
}

/** Changes what a sign-up is proving (email or phone). `ended`: the challenge is over, no sign-up, or at another step. */
export async function changeSignUp(
  partner: Partner,
  { id, secret }: ChallengeKey,
  change: Recipient,
  { clientAddress }: Pick<AttemptSource, "clientAddress">,
): Promise<StartedSignUp | { kind: "ended" }> {
  const tooMany = await admitAttempt(partner, { sign_up_address: clientNetwork(clientAddress) });
  if (tooMany) return tooMany;
  const open = await findOpenChallenge(partner.db, id, sha256(secret));
  const isEmailProven = "phone" in change;
  if (!open || (open.emailProvenAt !== null) !== isEmailProven) return { kind: "ended" };
  const challenge = await partner.inTransaction(async (tx) => {
    const spent = await spendSignUp(tx, open);
    if (spent) await expireWaitingMessages(tx, spent.id);
    return spent;
  });
  if (!challenge) return { kind: "ended" };
  const registration = { ...(await registrationOf(partner, challenge)), ...change };
  return { kind: "challenged", ...(await openChallenge(partner, { kind: "sign_up", registration, isEmailProven })) };
}

import { brandName } from "../../../brand/name.ts";
import { newId } from "../../kit/ids.ts";
import { clientNetwork } from "../../kit/networks.ts";
import { sha256 } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import { findPersonWithPassword, type Person } from "../storage/people.ts";
import { admitAttempt, type TooManyAttempts } from "./attempt-limits.ts";
import { type ChallengeKey, type OpenedChallenge, openChallenge, registrationOf } from "./challenge.ts";
import type { AttemptSource } from "./known-devices.ts";
import { hashPassword } from "./passwords.ts";
import type { Registration } from "./sign-in-fields.ts";
import { spendSignUp } from "./storage.ts";
import { sendText } from "./texts.ts";

export type StartedSignUp = (OpenedChallenge & { kind: "challenged" }) | TooManyAttempts;

/**
 * Texts a code for a registration, whose person is created once the code comes back. For a taken email address the answer
 * is the same, and the account's owner gets a text instead.
 */
export async function startSignUp(
  partner: Partner,
  { first_name, last_name, email, phone, password }: Registration,
  { clientAddress }: Pick<AttemptSource, "clientAddress">,
): Promise<StartedSignUp> {
  const tooMany = await admitAttempt(partner, { sign_up_address: clientNetwork(clientAddress) });
  if (tooMany) return tooMany;

  const passwordHash = await hashPassword(password);
  const owner = await findPersonWithPassword(partner.db, email);
  if (owner) {
    const opened = await openChallenge(partner, { kind: "decoy", phone });
    await notifyOwner(partner, owner, opened.key, phone);
    return { kind: "challenged", ...opened };
  }
  const registration = {
    id: newId(),
    email,
    firstName: first_name,
    lastName: last_name,
    phone,
    role: "seller" as const,
    passwordHash,
  };
  return { kind: "challenged", ...(await openChallenge(partner, { kind: "sign_up", registration })) };
}

/** Moves a sign-up to another phone. `ended`: the challenge is over or no sign-up. */
export async function changeSignUpPhone(
  partner: Partner,
  { id, secret }: ChallengeKey,
  phone: string,
  { clientAddress }: Pick<AttemptSource, "clientAddress">,
): Promise<StartedSignUp | { kind: "ended" }> {
  const tooMany = await admitAttempt(partner, { sign_up_address: clientNetwork(clientAddress) });
  if (tooMany) return tooMany;
  const challenge = await spendSignUp(partner.db, { id, secretHash: sha256(secret) });
  if (!challenge) return { kind: "ended" };
  const registration = await registrationOf(partner, challenge);
  const opened = await openChallenge(
    partner,
    registration ? { kind: "sign_up", registration: { ...registration, phone } } : { kind: "decoy", phone },
  );
  return { kind: "challenged", ...opened };
}

async function notifyOwner(partner: Partner, owner: Person, { id }: ChallengeKey, typedPhone: string): Promise<void> {
  if (await admitAttempt(partner, { sign_up_notice: owner.id })) return;
  // This browser may read it only when the owner's own phone was typed.
  const reader = typedPhone === owner.phone ? { challengeId: id } : { personId: owner.id };
  const text = `Someone just tried to sign up at ${brandName} with your email address. If it was you, you already have an account: please sign in. If it wasn't you, you don't need to do anything.`;
  await partner.inTransaction((tx) => sendText(partner, tx, { phone: owner.phone, text, reader }));
}

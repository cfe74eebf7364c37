import type { Partner } from "../partner.ts";
import { findPersonWithPassword } from "../storage/people.ts";
import type { TooMany } from "./attempt-limits.ts";
import type { ChallengeKey } from "./challenge.ts";
import type { Asker } from "./known-devices.ts";
import { sendLongCode, tryLongCode } from "./long-code.ts";

/** What became of a phone's long code: the phone that it proves, or why it proves none. */
export type ProvenPhone = { kind: "proven"; phone: string } | { kind: "wrong_code" } | TooMany;

/**
 * Texts its long code to the phone of the account with this email address, before any password is looked at. Nothing tells
 * the caller whether there is such an account.
 */
export async function sendPhoneProof(partner: Partner, email: string, { id }: ChallengeKey): Promise<void> {
  const person = await findPersonWithPassword(partner.db, email);
  if (person) await sendLongCode(partner, person.phone, { challengeId: id });
}

/** Whether the code is the one sent to the account's phone. It makes a device known and signs nobody in. */
export async function provePhone(partner: Partner, email: string, code: string, asker: Asker): Promise<ProvenPhone> {
  const person = await findPersonWithPassword(partner.db, email);
  const outcome = await tryLongCode(partner, person?.phone ?? email, code, asker);
  if (outcome === "right" && person) return { kind: "proven", phone: person.phone };
  return typeof outcome === "string" ? { kind: "wrong_code" } : outcome;
}

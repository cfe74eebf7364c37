import { clientNetwork } from "../../kit/networks.ts";
import type { Partner } from "../partner.ts";
import { findPersonWithPassword } from "../storage/people.ts";
import { admitAttempt, refundAttempt, type TooManyAttempts } from "./attempt-limits.ts";
import { type ChallengeKey, type OpenedChallenge, openChallenge } from "./challenge.ts";
import { sendPhoneProof } from "./complete-sign-in.ts";
import { type AttemptSource, findDeviceId } from "./known-devices.ts";
import { isPassword } from "./passwords.ts";

export type StartedSignIn =
  | (OpenedChallenge & { kind: "challenged"; phone: string })
  | { kind: "refused" }
  /** Too many passwords from unknown devices: the phone must be verified first. */
  | { kind: "phone_first"; key: ChallengeKey; email: string }
  | TooManyAttempts;

/**
 * The first factor. `email` is normalized, as `signInFields` does. A wrong password and an unknown address get the same
 * answer after the same work. Known devices have their own limits, which strangers can't exhaust.
 */
export async function startSignIn(
  partner: Partner,
  { email: address, password }: { email: string; password: string },
  source: AttemptSource,
): Promise<StartedSignIn> {
  const person = await findPersonWithPassword(partner.db, address);
  const deviceId = person && findDeviceId(partner, source, person.phone);
  const network = clientNetwork(source.clientAddress);
  const device = deviceId
    ? { sign_in: `${address} device ${deviceId}`, sign_in_device: `${address} ${deviceId}` }
    : { sign_in: `${address} ${network}` };
  const tooMany = await admitAttempt(partner, deviceId ? device : { ...device, sign_in_address: network });
  if (tooMany) return tooMany;
  // After the narrower limits, so that one network can't exhaust the account's limit.
  const ofAccount = deviceId ? {} : { sign_in_account: address };
  if (await admitAttempt(partner, ofAccount)) return promptForPhoneFirst(partner, address, person?.phone ?? "");

  const isRight = await isPassword(password, person?.passwordHash);
  if (!person || !isRight) return { kind: "refused" };
  await refundAttempt(partner, { ...device, ...ofAccount });
  return { kind: "challenged", ...(await openChallenge(partner, { kind: "sign_in", person })), phone: person.phone };
}

async function promptForPhoneFirst(partner: Partner, email: string, phone: string): Promise<StartedSignIn> {
  const { key } = await openChallenge(partner, { kind: "phone_first", phone });
  await sendPhoneProof(partner, email, key);
  return { kind: "phone_first", key, email };
}

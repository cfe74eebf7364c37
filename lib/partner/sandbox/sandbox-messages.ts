import { sha256 } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import { registrationOf, stepOf } from "../people/challenge.ts";
import { readPendingSignIn } from "../people/challenge-cookie.ts";
import { listMessages, type Message } from "../people/messages.ts";
import { findOpenChallenge } from "../people/storage.ts";

/** A sandbox phone or inbox. `isAwaited`: the next code goes here. */
export type SandboxDevice = { kind: Message["kind"]; address: string; messages: Message[]; isAwaited: boolean };

/** The messages of this browser's sign-up or sign-in; empty without one, undefined outside a sandbox. */
export async function readSandboxDevices(partner: Partner): Promise<SandboxDevice[] | undefined> {
  if (!partner.config.isSandbox) return undefined;
  const pending = await readPendingSignIn(partner);
  const challenge = pending && (await findOpenChallenge(partner.db, pending.key.id, sha256(pending.key.secret)));
  if (!challenge) return [];
  const messages = await listMessages(partner, challenge.id);
  const device = (kind: Message["kind"], address: string, isAwaited: boolean) => {
    return { kind, address, messages: messages.filter((message) => message.kind === kind), isAwaited };
  };
  const isEmailNext = stepOf(challenge) === "email";
  const phone = device("text", challenge.phone, !isEmailNext);
  if (!challenge.registrationEncrypted) return [phone];
  const { email } = await registrationOf(partner, challenge);
  return [device("email", email, isEmailNext), ...(isEmailNext ? [] : [phone])];
}

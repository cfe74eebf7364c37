import { sha256 } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import { readPendingSignIn } from "../people/challenge-cookie.ts";
import { findPerson } from "../people/session.ts";
import { findOpenChallenge } from "../people/storage.ts";
import { listTexts, type Text } from "../people/texts.ts";

/** The sandbox phone's number (null when signed out) and texts. */
export type SandboxPhoneContent = { number: string | null; texts: Text[] };

/** The texts of this browser's sign-in, else of its signed-in person. Undefined outside a sandbox. */
export async function readSandboxTexts(partner: Partner): Promise<SandboxPhoneContent | undefined> {
  if (!partner.config.isSandbox) return undefined;
  const pending = await readPendingSignIn(partner);
  const challenge = pending && (await findOpenChallenge(partner.db, pending.key.id, sha256(pending.key.secret)));
  if (challenge) return { number: challenge.phone, texts: await listTexts(partner, { challengeId: challenge.id }) };
  const person = await findPerson();
  if (person) return { number: person.phone, texts: await listTexts(partner, { personId: person.id }) };
  return { number: null, texts: [] };
}

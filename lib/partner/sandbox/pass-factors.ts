import type { Partner } from "../partner.ts";
import { openChallenge } from "../people/challenge.ts";
import { completeSignIn } from "../people/complete-sign-in.ts";
import type { Asker } from "../people/known-devices.ts";
import { listTexts } from "../people/texts.ts";
import type { Person } from "../storage/people.ts";

/**
 * Signs somebody of a sandbox in as they would themselves, but for the typing: their password counts as entered, the code is
 * texted, read from the sandbox's phone and handed in. Undefined when that code is refused.
 */
export async function passFactors(partner: Partner, person: Person, asker: Asker): Promise<Person | undefined> {
  const { key } = await openChallenge(partner, { kind: "sign_in", person });
  const texts = await listTexts(partner, { challengeId: key.id });
  const code = /\b\d{6}\b|\b\d{5} ?\d{5}\b/.exec(texts.at(-1)?.text ?? "")?.[0].replace(" ", "");
  if (!code) return undefined;
  const completed = await completeSignIn(partner, key, code, asker);
  return completed.kind === "signed_in" ? completed.person : undefined;
}

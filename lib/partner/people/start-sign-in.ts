import { findPersonWithPassword } from "../storage/people.ts";
import { admitAttempt, type TooMany } from "./attempt-limits.ts";
import { type ChallengeKey, openChallenge } from "./challenge.ts";
import { isPassword } from "./passwords.ts";

export type StartedSignIn = { kind: "challenged"; key: ChallengeKey; phone: string } | { kind: "refused" } | TooMany;

/**
 * The first factor. `refused` for a wrong password and for an address that nobody has: the same answer after the same
 * work. `challenged` means that a code is on its way to the phone.
 */
export async function startSignIn(
  { email, password }: { email: string; password: string },
  { clientAddress }: { clientAddress: string },
): Promise<StartedSignIn> {
  const address = email.trim().toLowerCase();
  // Only what the narrow limits let pass counts against the account: one address alone could lock its owner out otherwise.
  const tooMany =
    (await admitAttempt({ sign_in: `${address} ${clientAddress}`, sign_in_address: clientAddress })) ??
    (await admitAttempt({ sign_in_account: address }));
  if (tooMany) return tooMany;

  const person = await findPersonWithPassword(address);
  const isRight = await isPassword(password, person?.passwordHash);
  if (!person || !isRight) return { kind: "refused" };
  const tooManyTexts = await admitAttempt({ sign_in_text: person.phone });
  if (tooManyTexts) return tooManyTexts;
  return { kind: "challenged", key: await openChallenge({ kind: "sign_in", person }), phone: person.phone };
}

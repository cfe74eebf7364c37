import { notFound } from "next/navigation";
import { partnerConfig } from "../config.ts";
import { findPerson, type Person, type Role, requirePerson } from "../people/session.ts";

/** Who may call an action of the sandbox: whoever comes, but nobody outside a sandbox, where the action does not exist. */
export async function inSandbox(): Promise<Person | undefined> {
  requireSandbox();
  return findPerson();
}

/** The same, for somebody who is signed in, in this role where one is given. */
export function inSandboxSignedIn(required: { role?: Role } = {}): () => Promise<Person> {
  return async () => {
    requireSandbox();
    return requirePerson(required);
  };
}

function requireSandbox(): void {
  if (!partnerConfig().isSandbox) notFound();
}

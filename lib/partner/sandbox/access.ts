import { notFound } from "next/navigation";
import type { Partner } from "../partner.ts";
import { findPerson, type Person, type Role, requirePerson } from "../people/session.ts";

/** Who may call an action of the sandbox: whoever comes, but nobody outside a sandbox, where the action does not exist. */
export async function inSandbox(partner: Partner): Promise<Person | undefined> {
  requireSandbox(partner);
  return findPerson();
}

/** The same, for somebody who is signed in, in this role where one is given. */
export function inSandboxSignedIn(required: { role?: Role } = {}): (partner: Partner) => Promise<Person> {
  return async (partner) => {
    requireSandbox(partner);
    return requirePerson(required);
  };
}

function requireSandbox(partner: Partner): void {
  if (!partner.config.isSandbox) notFound();
}

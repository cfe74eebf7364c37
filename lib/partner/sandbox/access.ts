import { notFound } from "next/navigation";
import type { Partner } from "../partner.ts";
import { findPerson, type Person, type Role, requirePerson } from "../people/session.ts";

/** Access to a sandbox action, signed in or not; 404 outside a sandbox. */
export async function inSandbox(partner: Partner): Promise<Person | undefined> {
  requireSandbox(partner);
  return findPerson();
}

/** Like `inSandbox`, but requires a signed-in person, optionally in this role. */
export function inSandboxSignedIn(required: { role?: Role } = {}): (partner: Partner) => Promise<Person> {
  return async (partner) => {
    requireSandbox(partner);
    return requirePerson(required);
  };
}

function requireSandbox(partner: Partner): void {
  if (!partner.config.isSandbox) notFound();
}

import { notFound } from "next/navigation";
import type { Partner } from "../partner.ts";
import { findPerson, type Person, type Role, requirePerson } from "../people/session.ts";
import type { Access } from "../requests/partner-action.ts";

/** Access to a sandbox action, signed in or not; 404 outside a sandbox. */
export const inSandbox: Access<Person | undefined> = async (partner) => {
  requireSandbox(partner);
  return { kind: "ok", who: await findPerson() };
};

/** Like `inSandbox`, but requires a signed-in person, optionally in this role. */
export function inSandboxSignedIn(required: { role?: Role } = {}): Access<Person> {
  return async (partner) => {
    requireSandbox(partner);
    return { kind: "ok", who: await requirePerson(required) };
  };
}

function requireSandbox(partner: Partner): void {
  if (!partner.config.isSandbox) notFound();
}

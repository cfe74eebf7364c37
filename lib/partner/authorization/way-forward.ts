import type { Partner } from "../partner.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";

/** Where a person can begin an authorization anew, and what the link there says. */
export async function wayForward(
  partner: Partner,
  person: Person | undefined,
): Promise<{ href: string; label: string }> {
  if (!person) return { href: "/sign-in", label: "Sign in" };
  if (person.role === "operator") return { href: "/business", label: "Back to the business" };
  const user = await findServiceUserOfPerson(partner.db, person.id);
  return user
    ? { href: "/dashboard", label: "Back to your dashboard" }
    : { href: "/onboarding/status", label: "Back to your payment account" };
}

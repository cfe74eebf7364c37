import type { Role } from "#lib/partner/people/session.ts";

const links: Record<Role, { href: string; label: string }[]> = {
  seller: [{ href: "/dashboard", label: "Dashboard" }],
  operator: [
    { href: "/business", label: "Business" },
    { href: "/routines", label: "Payments" },
  ],
};

/** The header's links for a role; none for somebody who is not signed in. */
export function headerLinksOf(role: Role | undefined): { href: string; label: string }[] {
  return role ? links[role] : [];
}

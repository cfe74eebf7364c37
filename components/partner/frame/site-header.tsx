import Link from "next/link";
import type { ReactNode } from "react";
import { brandName } from "#brand/name.ts";
import type { Role } from "#lib/partner/people/session.ts";
import { NavigationLink } from "./navigation-link.tsx";

export type SiteHeaderProps = { links: { href: string; label: string }[]; account: ReactNode };

export function SiteHeader({ links, account }: SiteHeaderProps) {
  return (
    <header className="border-b border-line">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-6 gap-y-1 px-4 py-3 sm:px-8">
        <Link href="/" aria-label={`${brandName}, home`} className="inline-flex rounded-control py-1">
          <BrandMark />
        </Link>
        {links.length === 0 ? null : (
          <nav
            aria-label="Main"
            className="order-last -mx-2 flex w-full gap-1 overflow-x-auto p-0.5 sm:order-none sm:w-auto"
          >
            {links.map((link) => (
              <NavigationLink key={link.href} {...link} />
            ))}
          </nav>
        )}
        <div className="flex min-w-0 flex-1 items-center justify-end">{account}</div>
      </div>
    </header>
  );
}

const links: Record<Role, { href: string; label: string }[]> = {
  seller: [{ href: "/dashboard", label: "Dashboard" }],
  operator: [
    { href: "/business", label: "Business" },
    { href: "/routines", label: "Payments" },
  ],
};

export function headerLinksOf(role: Role | undefined): { href: string; label: string }[] {
  return role ? links[role] : [];
}

export function BrandMark() {
  return (
    <span className="inline-flex items-center gap-2.5">
      {/* biome-ignore lint/performance/noImgElement: an SVG of a kilobyte, from our own origin, is as small as it gets */}
      <img src="/partner/icon.svg" alt="" width="32" height="32" />
      <span className="font-display text-2xl leading-none font-bold tracking-tight">{brandName}</span>
    </span>
  );
}

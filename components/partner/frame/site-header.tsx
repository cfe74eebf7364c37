import Link from "next/link";
import type { ReactNode } from "react";
import { brandName } from "#brand/name.ts";
import type { Role } from "#lib/partner/people/session.ts";
import { useWords } from "#use-words";
import { NavigationLink } from "./navigation-link.tsx";

export type SiteHeaderProps = { role: Role | undefined; account: ReactNode };

export function SiteHeader({ role, account }: SiteHeaderProps) {
  const t = useWords("frame");
  const links = role ? linksOf[role] : [];
  return (
    <header className="border-b border-line">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-6 gap-y-1 px-4 py-3 sm:px-8">
        <Link href="/" aria-label={t("homeLink")} className="inline-flex rounded-control py-1">
          <BrandMark />
        </Link>
        {links.length === 0 ? null : (
          <nav
            aria-label={t("mainNavigation")}
            className="order-last -mx-2 flex w-full gap-1 overflow-x-auto p-0.5 sm:order-none sm:w-auto"
          >
            {links.map(({ href, label }) => (
              <NavigationLink key={href} href={href} label={t(label)} />
            ))}
          </nav>
        )}
        <div className="flex min-w-0 flex-1 items-center justify-end">{account}</div>
      </div>
    </header>
  );
}

const linksOf = {
  seller: [{ href: "/dashboard", label: "dashboard" }],
  operator: [
    { href: "/business", label: "business" },
    { href: "/routines", label: "payments" },
  ],
} as const satisfies Record<Role, object[]>;

export function BrandMark() {
  return (
    <span className="inline-flex items-center gap-2.5">
      {/* biome-ignore lint/performance/noImgElement: an SVG of a kilobyte, from our own origin, is as small as it gets */}
      <img src="/partner/icon.svg" alt="" width="32" height="32" />
      <span className="font-display text-2xl leading-none font-bold tracking-tight">{brandName}</span>
    </span>
  );
}

import Link from "next/link";
import type { ReactNode } from "react";
import { brandName } from "#brand/name.ts";
import { BrandMark } from "./brand-mark.tsx";
import { NavigationLink } from "./navigation-link.tsx";

export type SiteHeaderProps = { links: { href: string; label: string }[]; account: ReactNode };

/** Harbor's header: the way home, the pages that this person has, and the account. */
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

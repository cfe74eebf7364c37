"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";

const pages = [
  ["/console", "Timeline"],
  ["/console/requests", "Requests"],
  ["/console/webhooks", "Webhooks"],
  ["/console/people", "People"],
  ["/console/tokens", "Tokens"],
  ["/console/money", "Money"],
  ["/console/keys", "Keys"],
  ["/console/clock", "Clock"],
  ["/console/faults", "Faults"],
  ["/console/drills", "Drills"],
  ["/console/checks", "Checks"],
  ["/console/settings", "Settings"],
] as const;

export function ConsoleNav() {
  const path = usePathname();
  return (
    <nav aria-label="Console" className="border-b border-line lg:w-44 lg:shrink-0 lg:border-r lg:border-b-0">
      <ul className="flex flex-wrap gap-x-1 px-2 py-2 sm:px-5 lg:sticky lg:top-0 lg:flex-col lg:gap-1 lg:px-3 lg:py-6">
        {pages.map(([href, name]) => {
          const isHere = href === "/console" ? path === href : path.startsWith(href);
          return (
            <li key={href}>
              <Link
                href={href}
                // Prefetching would call the service for every page.
                prefetch={false}
                aria-current={isHere ? "page" : undefined}
                className="block min-h-9 rounded-control px-3 py-1.5 text-sm font-semibold whitespace-nowrap text-ink-soft no-underline -outline-offset-2 hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:text-ink"
              >
                {name}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

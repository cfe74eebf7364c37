"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useEffect, useId, useRef } from "react";
import { consolePages } from "./console-pages.ts";

// Keeps what precedes the link visible, too; scroll-pl-28 does the same on load.
const spaceBefore = 112;

/** A column beside the page on desktop, and a strip that scrolls sideways above it on a phone. */
export function ConsoleNav() {
  const path = usePathname();
  const id = useId();
  const strip = useRef<HTMLElement>(null);
  const shown = useRef(path);

  useEffect(() => {
    const [box, current] = [strip.current, strip.current?.querySelector<HTMLElement>("[aria-current]")];
    const isLoad = shown.current === path;
    shown.current = path;
    if (!box || !current || isWithin(box, current)) return;
    // On load, the browser has already scrolled (if it can) or the user has. Moving the strip under a press would take
    // the click away from its link.
    if (isLoad && (CSS.supports("scroll-initial-target", "nearest") || box.scrollLeft > 0)) return;
    // Not scrollIntoView, which would also scroll the page.
    box.scrollTo({ left: current.offsetLeft - spaceBefore });
  }, [path]);

  return (
    <nav
      ref={strip}
      aria-label="Console"
      className="sticky top-0 z-20 flex scroll-pl-28 gap-x-5 overflow-x-auto border-b border-line bg-canvas px-4 lg:max-h-dvh lg:w-52 lg:shrink-0 lg:flex-col lg:gap-y-4 lg:self-start lg:overflow-y-auto lg:border-b-0 lg:px-3 lg:py-5"
    >
      {consolePages.map(([group, pages]) => (
        <div key={group} className="flex shrink-0 items-center gap-x-1 lg:block">
          <p id={`${id}-${group}`} className="eyebrow text-ink-soft lg:mb-1 lg:px-3">
            {group}
          </p>
          <ul aria-labelledby={`${id}-${group}`} className="flex lg:block">
            {pages.map(([href, name]) => (
              <li key={href}>
                <Link
                  href={href}
                  // Prefetching would call the service for every page.
                  prefetch={false}
                  aria-current={(href === "/console" ? path === href : path.startsWith(href)) ? "page" : undefined}
                  className="flex min-h-11 items-center rounded-control px-3 text-sm font-semibold whitespace-nowrap text-ink-soft no-underline -outline-offset-2 hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:text-ink aria-[current=page]:[scroll-initial-target:nearest] aria-[current=page]:forced-highlight lg:pointer-fine:min-h-9"
                >
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function isWithin({ scrollLeft, clientWidth }: HTMLElement, { offsetLeft, offsetWidth }: HTMLElement): boolean {
  return offsetLeft >= scrollLeft && offsetLeft + offsetWidth <= scrollLeft + clientWidth;
}

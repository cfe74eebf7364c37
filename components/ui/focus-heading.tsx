"use client";

import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";

/**
 * Focuses the heading of the next page or step, because screen readers start reading there after a load. A page that
 * moves the focus itself keeps it.
 */
export function FocusHeading({ step = "" }: { step?: string }) {
  const page = `${usePathname()} ${step}`;
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    const heading = document.querySelector<HTMLElement>("main h1");
    if (!heading || document.querySelector("main :focus")) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }, [page]);
  return null;
}

"use client";

import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";

/**
 * Moves the focus to the heading of the next page, or of its next step, as a load would: screen readers start to read there. A
 * page that takes the focus itself keeps it.
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

"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, Suspense, useId, useState } from "react";
import { deviceSlotId, inspectorSlotId } from "./bar-slots.ts";
import { FillControls } from "./fill-controls.tsx";
import { useCurrentFillable } from "./fillable.ts";
import { toolButton } from "./tool-style.ts";

/** The sandbox bar above each page of both apps: fills in the page's form, and opens a panel with the other tools. */
export function SandboxBar({ children }: { children: ReactNode }) {
  const path = usePathname();
  const panelId = useId();
  const fillable = useCurrentFillable();
  const [openAt, setOpenAt] = useState<string | null>(null);
  const isOpen = openAt !== null && openAt === path;
  // Close the panel on navigation, during render, so that the next page never shows it.
  if (openAt !== null && !isOpen) setOpenAt(null);
  return (
    <aside aria-label="Sandbox" className="sandbox-tools w-full pt-1 noscript:hidden">
      <div className="mx-auto flex min-h-12 max-w-6xl flex-wrap items-center gap-1.5 px-2 py-1.5 sm:gap-2 sm:px-8">
        <div className="mr-auto flex gap-1.5 sm:gap-2">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={isOpen ? panelId : undefined}
            onClick={() => setOpenAt(isOpen ? null : path)}
            className={`${toolButton} font-mono tracking-tight max-sm:gap-1`}
          >
            Sandbox
            <svg
              viewBox="0 0 16 16"
              className={`size-3.5 ${isOpen ? "rotate-180" : ""}`}
              aria-hidden="true"
              fill="none"
            >
              <path d="m3.5 6 4.5 4.5L12.5 6" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
            </svg>
          </button>
          <div id={inspectorSlotId} className="contents" />
        </div>
        <div id={deviceSlotId} className="contents" />
        {fillable ? (
          <FillControls key={fillable.label} fillable={fillable} />
        ) : (
          <span className="hidden text-sm text-ink-soft sm:inline">Test tools, not part of the product</span>
        )}
      </div>
      {isOpen ? (
        <div id={panelId} className="border-t border-line">
          <div className="mx-auto max-w-6xl px-3 py-4 sm:px-8">
            <Suspense fallback={<p className="min-h-40 text-sm">Loading…</p>}>{children}</Suspense>
          </div>
        </div>
      ) : null}
    </aside>
  );
}

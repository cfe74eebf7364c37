"use client";

import dynamic from "next/dynamic";
import { type KeyboardEvent as ReactKeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import { inspectorCookie } from "./inspector-cookie.ts";

// What it shows is loaded when it is first opened: nobody who leaves it closed pays for it.
const InspectorContent = dynamic(() => import("./inspector-content.tsx").then((module) => module.InspectorContent), {
  ssr: false,
});

const key = "i";
const rememberedSeconds = 30 * 24 * 60 * 60;

/** The button, the key and the drawer: beside the page where there is room, else from below. */
export function InspectorFrame({ isOpenAtFirst }: { isOpenAtFirst: boolean }) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const heading = useRef<HTMLHeadingElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef<Element>(null);

  const toggle = useCallback((open: boolean) => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
    document.cookie = `${inspectorCookie}=${open ? "open" : "closed"}; path=/; samesite=lax; max-age=${rememberedSeconds}`;
    if (open) before.current = document.activeElement;
    setIsOpen(open);
    // After the next paint, once what is to have the focus is there.
    requestAnimationFrame(() => (open ? heading.current : placeToReturnTo(before.current, button.current))?.focus());
  }, []);

  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      toggle(!isOpen);
    };
    document.addEventListener("keydown", hear);
    return () => document.removeEventListener("keydown", hear);
  }, [isOpen, toggle]);

  function closeOnEscape(event: ReactKeyboardEvent): void {
    if (event.key === "Escape") toggle(false);
  }

  if (!isOpen) {
    return (
      <button
        ref={button}
        type="button"
        aria-expanded={false}
        aria-keyshortcuts={key}
        onClick={() => toggle(true)}
        className="fixed right-3 bottom-3 z-30 inline-flex min-h-11 items-center gap-2 rounded-full border border-line-strong bg-surface px-3 font-mono sm:right-auto sm:bottom-4 sm:left-4 sm:min-h-10 sm:px-3.5 text-sm font-semibold text-ink shadow-float hover:border-ink noscript:hidden print:hidden"
      >
        <Braces />
        <span className="max-sm:sr-only">Inspector</span>
        <span
          aria-hidden="true"
          className="rounded border border-line-strong px-1.5 text-xs text-ink-soft max-sm:hidden"
        >
          I
        </span>
      </button>
    );
  }
  return (
    <aside
      aria-label="Inspector"
      data-inspector="open"
      onKeyDown={closeOnEscape}
      className="fixed inset-x-0 bottom-0 z-50 flex h-[60dvh] flex-col border-t-2 border-ink bg-surface text-ink shadow-float lg:inset-y-0 lg:right-0 lg:left-auto lg:h-auto lg:w-108 lg:border-t-0 lg:border-l lg:border-line lg:shadow-none print:hidden"
    >
      <header className="flex items-center gap-2.5 border-b border-line px-4 py-2.5">
        <Braces />
        <h2 ref={heading} tabIndex={-1} className="font-mono text-base">
          Inspector
        </h2>
        <span className="rounded-badge bg-sunken px-2 py-0.5 text-xs font-semibold text-ink-soft">Sandbox only</span>
        <button
          type="button"
          aria-label="Close the inspector"
          aria-keyshortcuts={`${key} Escape`}
          onClick={() => toggle(false)}
          className="ml-auto inline-flex size-9 items-center justify-center rounded-control text-ink-soft hover:bg-sunken hover:text-ink"
        >
          <svg viewBox="0 0 16 16" className="size-5" aria-hidden="true">
            <path d="m4 4 8 8m0-8-8 8" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
          </svg>
        </button>
      </header>
      <InspectorContent />
    </aside>
  );
}

/** Where the focus was before, if that is still there. */
function placeToReturnTo(before: Element | null, button: HTMLElement | null): HTMLElement | null {
  const isThere = before instanceof HTMLElement && before !== document.body && before.isConnected;
  return isThere ? before : button;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input,textarea,select,dialog") !== null)
  );
}

function Braces() {
  return (
    <svg viewBox="0 0 20 20" className="size-5 shrink-0 text-accent" aria-hidden="true" fill="none">
      <path
        d="M7 3.5c-2.2 0-2.2 1.4-2.2 3S4.2 10 2.8 10c1.4 0 2 1.9 2 3.5s0 3 2.2 3M13 3.5c2.2 0 2.2 1.4 2.2 3s.6 3.5 2 3.5c-1.4 0-2 1.9-2 3.5s0 3-2.2 3"
        stroke="currentColor"
        strokeWidth="1.7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

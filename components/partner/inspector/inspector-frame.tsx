"use client";

import {
  lazy,
  type KeyboardEvent as ReactKeyboardEvent,
  Suspense,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { inspectorSlotId } from "#components/sandbox/bar-slots.ts";
import { toolButton } from "#components/sandbox/tool-style.ts";
import { inspectorCookie, inspectorKeyCookie, remember } from "./inspector-cookie.ts";

// Loaded when first opened.
const InspectorContent = lazy(async () => ({ default: (await import("./inspector-content.tsx")).InspectorContent }));

type InspectorFrameProps = { isOpenAtFirst: boolean; isKeyOnAtFirst: boolean };

export function InspectorFrame({ isOpenAtFirst, isKeyOnAtFirst }: InspectorFrameProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const [bar, setBar] = useState<Element | null>(null);
  useEffect(() => setBar(document.getElementById(inspectorSlotId)), []);
  const heading = useRef<HTMLHeadingElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef<Element>(null);
  const isFocusDue = useRef(false);

  function toggle(open: boolean): void {
    remember(inspectorCookie, open ? "open" : "closed");
    if (open) before.current = document.activeElement;
    setIsOpen(open);
    isFocusDue.current = true;
  }
  // After rendering, once the element to focus exists.
  useEffect(() => {
    if (!isFocusDue.current) return;
    isFocusDue.current = false;
    (isOpen ? heading.current : returnTarget(before.current, button.current))?.focus();
  }, [isOpen]);
  const { isOn: isKeyOn, turn } = useInspectorKey(isKeyOnAtFirst, () => toggle(!isOpen));

  function closeOnEscape(event: ReactKeyboardEvent): void {
    if (event.key === "Escape") toggle(false);
  }

  if (!isOpen) {
    if (!bar) return null;
    return createPortal(
      <button
        ref={button}
        type="button"
        aria-expanded={false}
        aria-keyshortcuts={isKeyOn ? inspectorKey : undefined}
        onClick={() => toggle(true)}
        className={`${toolButton} font-mono tracking-tight`}
      >
        <Braces />
        <span className="max-sm:sr-only">Inspector</span>
        {isKeyOn ? (
          <span
            aria-hidden="true"
            className="rounded border border-line-strong px-1.5 text-xs text-ink-soft max-sm:hidden"
          >
            I
          </span>
        ) : null}
      </button>,
      bar,
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
        <span className="text-accent">
          <Braces />
        </span>
        <h2 ref={heading} tabIndex={-1} className="font-mono text-base">
          Inspector
        </h2>
        <span className="rounded-badge bg-sunken px-2 py-0.5 text-xs font-semibold text-ink-soft">Sandbox only</span>
        <button
          type="button"
          aria-label="Close the inspector"
          aria-keyshortcuts={isKeyOn ? `${inspectorKey} Escape` : "Escape"}
          onClick={() => toggle(false)}
          className="ml-auto inline-flex size-9 items-center justify-center rounded-control text-ink-soft hover:bg-sunken hover:text-ink"
        >
          <svg viewBox="0 0 16 16" className="size-5" aria-hidden="true">
            <path d="m4 4 8 8m0-8-8 8" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
          </svg>
        </button>
      </header>
      <Suspense fallback={<div className="flex-1" />}>
        <InspectorContent />
      </Suspense>
      <label className="flex items-center gap-2.5 border-t border-line px-4 py-2.5 text-sm">
        <input
          type="checkbox"
          className="size-4.5 shrink-0 accent-(--primary)"
          checked={isKeyOn}
          onChange={(event) => turn(event.currentTarget.checked)}
        />
        Open and close this with the key I
      </label>
    </aside>
  );
}

function returnTarget(before: Element | null, button: HTMLElement | null): HTMLElement | null {
  const isThere = before instanceof HTMLElement && before !== document.body && before.isConnected;
  return isThere ? before : button;
}

function Braces() {
  return (
    <svg viewBox="0 0 20 20" className="size-5 shrink-0" aria-hidden="true" fill="none">
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

export const inspectorKey = "i";

/** Calls `press` for the shortcut, outside text fields. */
export function useInspectorKey(isOnAtFirst: boolean, press: () => void) {
  const [isOn, setIsOn] = useState(isOnAtFirst);
  const pressed = useEffectEvent(press);
  useEffect(() => {
    if (!isOn) return undefined;
    const pressOnKey = (event: KeyboardEvent) => {
      if (event.key !== inspectorKey || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      pressed();
    };
    document.addEventListener("keydown", pressOnKey);
    return () => document.removeEventListener("keydown", pressOnKey);
  }, [isOn]);

  function turn(on: boolean): void {
    remember(inspectorKeyCookie, on ? "on" : "off");
    setIsOn(on);
  }

  return { isOn, turn };
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input,textarea,select,dialog") !== null)
  );
}

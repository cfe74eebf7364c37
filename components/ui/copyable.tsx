"use client";

import { fillIn, useUiWords } from "./ui-words.tsx";
import { useCopied } from "./use-copied.ts";

export type CopyableProps = {
  value: string;
  /** What the value is, for the button's name: "Copy user id". */
  label?: string;
};

export function Copyable({ value, label = "value" }: CopyableProps) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5">
      <code className="min-w-0 font-mono text-sm break-all">{value}</code>
      <CopyIcon value={value} label={label} className="size-8 pointer-coarse:size-11" />
    </span>
  );
}

/** Copies text that the page shows in full or shortened. `className` sets the size. */
export function CopyIcon({ value, label, className }: Required<CopyableProps> & { className: string }) {
  const words = useUiWords();
  const { copied, copy } = useCopied();
  return (
    <>
      <button
        type="button"
        aria-label={fillIn(words.copy, { what: label })}
        onClick={() => copy(value)}
        className={`inline-flex shrink-0 items-center justify-center rounded-control text-ink-soft hover:bg-sunken hover:text-ink noscript:hidden ${className}`}
      >
        <svg viewBox="0 0 16 16" className="size-4" aria-hidden="true" fill="none" stroke="currentColor">
          {copied === value ? (
            <path d="m3 8.5 3.2 3.2L13 4.8" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
          ) : (
            <path d="M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8v-8Z" strokeWidth="1.4" strokeLinejoin="round" />
          )}
        </svg>
      </button>
      <span role="status" className="sr-only">
        {copied === value ? words.copied : ""}
      </span>
    </>
  );
}

import type { ReactNode } from "react";

/** Opens without scripts. */
export function Disclosure({ title, isOpen, children }: { title: ReactNode; isOpen?: boolean; children: ReactNode }) {
  return (
    <details className="group rounded-card border border-line" open={isOpen}>
      <summary className="flex min-h-12 items-center gap-2.5 rounded-card px-5 py-3 font-semibold text-ink-soft hover:text-ink sm:px-7 [&::-webkit-details-marker]:hidden">
        <FoldMark />
        {title}
      </summary>
      <div className="border-t border-line p-5 sm:p-7">{children}</div>
    </details>
  );
}

/** Like `Disclosure`, but without a frame, for the console. */
export function Fold({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  return (
    <details className="group">
      <summary className="inline-flex min-h-9 pointer-coarse:min-h-11 items-center gap-2 rounded-control text-sm font-semibold text-ink-soft hover:text-ink [&::-webkit-details-marker]:hidden">
        <FoldMark />
        {title}
        {about ? <span className="sr-only">: {about}</span> : null}
      </summary>
      <div className="pt-3">{children}</div>
    </details>
  );
}

/** The marker of a `details` with the class `group`; rotates when open. */
function FoldMark() {
  return (
    <svg
      viewBox="0 0 16 16"
      className="size-4 shrink-0 transition-transform group-open:rotate-90"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
    >
      <path d="m6 3.5 4.5 4.5L6 12.5" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

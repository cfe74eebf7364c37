import type { ReactNode } from "react";

/** What most people do not need, folded away; opens without a script. */
export function Disclosure({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <details className="group rounded-card border border-line">
      <summary className="flex min-h-12 items-center gap-2.5 rounded-card px-5 py-3 font-semibold text-ink-soft hover:text-ink sm:px-7 [&::-webkit-details-marker]:hidden">
        <svg
          viewBox="0 0 16 16"
          className="size-4 shrink-0 transition-transform group-open:rotate-90"
          aria-hidden="true"
          fill="none"
          stroke="currentColor"
        >
          <path d="m6 3.5 4.5 4.5L6 12.5" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
        </svg>
        {title}
      </summary>
      <div className="border-t border-line p-5 sm:p-7">{children}</div>
    </details>
  );
}

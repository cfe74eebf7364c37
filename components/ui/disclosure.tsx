import type { ReactNode } from "react";
import { FoldMark } from "./fold-mark.tsx";

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

import type { ReactNode } from "react";
import { FoldMark } from "#components/ui/fold-mark.tsx";

export function Fold({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  return (
    <details className="group">
      <summary className="inline-flex min-h-9 items-center gap-2 rounded-control text-sm font-semibold text-ink-soft hover:text-ink [&::-webkit-details-marker]:hidden">
        <FoldMark />
        {title}
        {about ? <span className="sr-only">: {about}</span> : null}
      </summary>
      <div className="pt-3">{children}</div>
    </details>
  );
}

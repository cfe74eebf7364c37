import type { ReactNode } from "react";
import { type Tone, toneGround } from "./tone.ts";

export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-badge px-2.5 py-0.5 text-sm font-semibold whitespace-nowrap ${toneGround[tone]}`}
    >
      <span className="size-1.5 rounded-full bg-current" aria-hidden="true" />
      {children}
    </span>
  );
}

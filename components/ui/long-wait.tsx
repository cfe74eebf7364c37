import type { ReactNode } from "react";

/** A sentence for people who have waited three seconds; reserves its room. */
export function LongWait({ children }: { children: ReactNode }) {
  return <p className="long-wait text-sm text-ink-soft">{children}</p>;
}

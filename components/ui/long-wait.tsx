import type { ReactNode } from "react";

/** A sentence that appears after three seconds of waiting; its space is reserved. */
export function LongWait({ children }: { children: ReactNode }) {
  return <p className="long-wait text-sm text-ink-soft">{children}</p>;
}

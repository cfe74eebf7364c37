import type { ReactNode } from "react";

/** In a sandbox: what an answer becomes on the wire, told to the developer who tries the form. */
export function DeveloperNote({ children }: { children: ReactNode }) {
  return (
    <p className="rounded-control border border-dashed border-line-strong px-3.5 py-2 text-sm text-ink-soft">
      <span className="font-semibold">For developers: </span>
      {children}
    </p>
  );
}

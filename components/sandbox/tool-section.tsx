import type { ReactNode } from "react";

export function ToolSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col items-start gap-2.5 text-sm">
      <h2 className="font-mono text-sm font-semibold">{title}</h2>
      {children}
    </section>
  );
}

import type { ReactNode } from "react";

export type PageProblemProps = { title: ReactNode; children: ReactNode; action?: ReactNode };

export function PageProblem({ title, children, action }: PageProblemProps) {
  return (
    <div className="max-w-xl py-6">
      <h1 className="text-3xl sm:text-4xl">{title}</h1>
      <div className="mt-4 text-lg text-ink-soft">{children}</div>
      {action ? <div className="mt-8 flex flex-wrap gap-3">{action}</div> : null}
    </div>
  );
}

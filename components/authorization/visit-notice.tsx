import type { ReactNode } from "react";
import { Card } from "#components/ui/card.tsx";

/** A page that only explains, with at most one thing to do below. */
export function VisitNotice({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <Card>
      <h1 className="text-3xl">{title}</h1>
      <div className="mt-4 flex flex-col gap-3 text-ink-soft">{children}</div>
      {action ? <div className="mt-7">{action}</div> : null}
    </Card>
  );
}

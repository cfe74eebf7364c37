import type { ReactNode } from "react";

export type CardProps = {
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
};

/** The title is an h2. */
export function Card({ title, description, actions, children }: CardProps) {
  return (
    <section className="min-w-0 rounded-card border border-line bg-surface p-5 shadow-card sm:p-7">
      {title || actions ? (
        <div className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
          <div className="min-w-0">
            {title ? <h2 className="text-xl">{title}</h2> : null}
            {description ? <p className="mt-1.5 text-ink-soft">{description}</p> : null}
          </div>
          {actions ? <div className="flex flex-wrap gap-2">{actions}</div> : null}
        </div>
      ) : null}
      {children}
    </section>
  );
}

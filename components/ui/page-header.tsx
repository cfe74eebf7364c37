import Link from "next/link";
import type { ReactNode } from "react";

export type PageHeaderProps = {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  back?: { href: string; label: string };
};

export function PageHeader({ title, description, actions, back }: PageHeaderProps) {
  return (
    <header className="mb-8 sm:mb-10">
      {back ? (
        <Link
          href={back.href}
          className="mb-4 inline-flex min-h-9 pointer-coarse:min-h-11 items-center gap-1.5 font-semibold text-ink-soft hover:text-ink"
        >
          <svg viewBox="0 0 16 16" className="size-4" aria-hidden="true" fill="none" stroke="currentColor">
            <path d="M13.5 8h-11m4-4.5L2.5 8l4 4.5" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
          </svg>
          {back.label}
        </Link>
      ) : null}
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-5">
        <div className="min-w-0 max-w-2xl">
          <h1 className="text-3xl break-words sm:text-4xl">{title}</h1>
          {description ? <p className="mt-3 text-lg text-ink-soft">{description}</p> : null}
        </div>
        {actions ? <div className="flex flex-wrap gap-3">{actions}</div> : null}
      </div>
    </header>
  );
}

"use client";

import { useEffect, useRef } from "react";

export type ErrorSummaryProps = { title?: string; problems: { field: string; message: string }[] };

/** What is wrong with a form, summed up: takes the focus when shown or changed, and leads to each field by its id. */
export function ErrorSummary({ title = "Some answers need another look", problems }: ErrorSummaryProps) {
  const summary = useRef<HTMLDivElement>(null);

  // Every failed attempt hands in a new list, even one of the same words, so the focus comes back each time.
  useEffect(() => {
    if (problems.length > 0) summary.current?.focus();
  }, [problems]);

  if (problems.length === 0) return null;
  return (
    <div ref={summary} role="alert" tabIndex={-1} className="rounded-card border-2 border-danger bg-danger-soft p-5">
      <h2 className="text-lg text-danger">{title}</h2>
      <ul className="mt-2 flex flex-col gap-1">
        {problems.map(({ field, message }) => (
          <li key={`${field} ${message}`}>
            <a
              href={`#${field}`}
              className="font-semibold text-danger underline underline-offset-4"
              onClick={(event) => {
                const control = document.getElementById(field);
                if (control === null) return;
                event.preventDefault();
                control.focus();
              }}
            >
              {message}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

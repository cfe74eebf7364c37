"use client";

import { useEffect, useRef } from "react";

export type ErrorSummaryProps = {
  /** What happened; without it the heading counts the answers to look at. */
  title?: string | undefined;
  /** `field` is the id of a control, or `form` for what no control can mend. */
  problems: { field: string; message: string }[];
};

/** What is wrong with a form, summed up: takes the focus when shown or changed, and leads to each field by its id. */
export function ErrorSummary({ title, problems }: ErrorSummaryProps) {
  const summary = useRef<HTMLDivElement>(null);

  // Every failed attempt hands in a new list, even one of the same words, so the focus comes back each time.
  useEffect(() => {
    if (problems.length > 0) summary.current?.focus();
  }, [problems]);

  if (problems.length === 0) return null;
  return (
    <div ref={summary} role="alert" tabIndex={-1} className="rounded-card border-2 border-danger bg-danger-soft p-5">
      <h2 className="text-lg text-danger">{title ?? headingOf(problems)}</h2>
      <ul className="mt-2 flex flex-col gap-1">
        {problems.map(({ field, message }) => (
          <li key={`${field} ${message}`}>
            {field === "form" ? message : <FieldLink field={field}>{message}</FieldLink>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function FieldLink({ field, children }: { field: string; children: string }) {
  return (
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
      {children}
    </a>
  );
}

function headingOf(problems: ErrorSummaryProps["problems"]): string {
  const answers = problems.filter(({ field }) => field !== "form").length;
  if (answers === 0) return "That didn't work";
  return answers === 1 ? "Please check one answer" : `Please check ${answers} answers`;
}

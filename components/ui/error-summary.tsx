"use client";

import { useEffect, useRef } from "react";
import { fillIn, type UiWords, useUiWords } from "./ui-words.tsx";

export type ErrorSummaryProps = {
  /** By default, the heading counts the fields with errors. */
  title?: string;
  /** `field` is the id of a control, or `form` for the form as a whole. */
  problems: { field: string; message: string }[];
};

/** A form's errors, with links to the fields. Takes the focus when it appears or changes. */
export function ErrorSummary({ title, problems }: ErrorSummaryProps) {
  const words = useUiWords();
  const summary = useRef<HTMLDivElement>(null);

  // Each failed attempt passes a new array, so the focus returns even for the same messages.
  useEffect(() => {
    if (problems.length > 0) summary.current?.focus();
  }, [problems]);

  if (problems.length === 0) return null;
  return (
    <div ref={summary} role="alert" tabIndex={-1} className="rounded-card border-2 border-danger bg-danger-soft p-5">
      <h2 className="text-lg text-danger">{title ?? headingOf(problems, words)}</h2>
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

export function FieldLink({ field, children }: { field: string; children: string }) {
  return (
    <a
      href={`#${field}`}
      className="font-semibold text-danger underline underline-offset-4"
      onClick={(event) => {
        const control = document.getElementById(field);
        if (control === null) return;
        event.preventDefault();
        const section = control.closest("details");
        if (section) section.open = true;
        control.focus();
      }}
    >
      {children}
    </a>
  );
}

function headingOf(problems: ErrorSummaryProps["problems"], words: UiWords): string {
  const answers = problems.filter(({ field }) => field !== "form").length;
  if (answers === 0) return words.didntWork;
  return answers === 1 ? words.checkOneAnswer : fillIn(words.checkAnswers, { count: answers });
}

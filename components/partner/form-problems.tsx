"use client";

import { useEffect } from "react";
import { Alert } from "#components/ui/alert.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import type { FormState } from "#lib/partner/requests/form-state.ts";

type FormProblemsProps = Pick<FormState, "problems" | "title" | "isUnknown" | "link"> & {
  /** A form with at most one field, which gets the focus and shows its own problem. */
  isShort?: boolean;
};

/** The problems of a submitted form, above its fields. */
export function FormProblems({ problems, title, isUnknown = false, link, isShort = false }: FormProblemsProps) {
  const trouble = problems.find(({ field }) => field === "form")?.message;
  const [first] = problems;
  useEffect(() => {
    if (isShort && first && first.field !== "form") document.getElementById(first.field)?.focus();
  }, [isShort, first]);
  return (
    <>
      {trouble && isUnknown ? (
        <Alert tone="warning" title={title}>
          {trouble}
        </Alert>
      ) : null}
      {isUnknown || (isShort && !trouble) ? null : <ErrorSummary title={title} problems={problems} />}
      {link ? (
        <ButtonLink href={link.href} variant="secondary" className="self-start">
          {link.label}
        </ButtonLink>
      ) : null}
    </>
  );
}

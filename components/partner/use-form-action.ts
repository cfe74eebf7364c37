"use client";

import { type FormEvent, startTransition, useActionState, useMemo } from "react";
import type { FormState } from "#lib/partner/people/form-state.ts";
import { labelledProblems } from "./labelled-problems.ts";

export type FormAction = (previous: FormState, form: FormData) => Promise<FormState>;

/**
 * A form that is posted by a server action and told which fields to look at. What was typed stays in the fields: React
 * would empty them after an action, and the server never sends values back.
 */
export function useFormAction(action: FormAction) {
  const [{ problems }, run, isPending] = useActionState(action, { problems: [] });

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (isPending) return;
    const form = new FormData(event.currentTarget);
    startTransition(() => run(form));
  }

  function errorOf(field: string): string | undefined {
    return problems.find((problem) => problem.field === field)?.message;
  }

  // One list an answer: a new one would draw the focus to the summary.
  const summary = useMemo(() => labelledProblems(problems), [problems]);
  return { summary, errorOf, isPending, formProps: { action: run, onSubmit: submit, noValidate: true } };
}

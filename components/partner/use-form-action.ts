"use client";

import { type FormEvent, startTransition, useActionState, useMemo } from "react";
import { type FormState, unsentForm } from "#lib/partner/requests/form-state.ts";
import { labelledProblems } from "./labelled-problems.ts";

/** A server action of Harbor (lib/partner/requests/partner-action.ts), as a form sees it. */
export type FormAction = (previous: FormState, form: FormData) => Promise<FormState>;

/**
 * What every form of Harbor stands on: sends it to its action and tells what came back. `summary` and `errorOf` say what to
 * look at, `trouble` is what no field can mend. A form of buttons takes `action={run}`; one with typed fields takes
 * `formProps`, which keep what was typed: React would empty the fields after an action, and the server never sends values back.
 */
export function useFormAction(action: FormAction) {
  const [state, run, isPending] = useActionState(action, unsentForm);
  const { problems } = state;

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
  const formProps = { action: run, onSubmit: submit, noValidate: true };
  return { state, summary, errorOf, trouble: errorOf("form"), run, isPending, formProps };
}

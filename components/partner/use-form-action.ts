"use client";

import { unstable_rethrow } from "next/navigation";
import { type FormEvent, startTransition, useActionState } from "react";
import { type FormState, unsentForm } from "#lib/partner/requests/form-state.ts";
import { awaitAnswer } from "./awaited-answers.ts";

/** A server action of Harbor (lib/partner/requests/partner-action.ts), as a form sees it. */
export type FormAction = (previous: FormState, form: FormData) => Promise<FormState>;

/**
 * What every form of Harbor stands on: sends it to its action and tells what came back. `summary` and `errorOf` say what to
 * look at, `trouble` is what no field can mend. A form of buttons takes `action={run}`; one with typed fields takes
 * `formProps`, which keep what was typed: React would empty the fields after an action, the server never sends values back,
 * and without an answer the page of an error would take the place of the form.
 */
export function useFormAction(action: FormAction) {
  // The first is the form as it works without scripts, and a form of buttons; the second sends what was typed.
  const [plain, run, isPlainPending] = useActionState(awaited(action), unsentForm);
  const [typed, send, isTypedPending] = useActionState(hearSilence(awaited(action)), unsentForm);
  const state = typed === unsentForm ? plain : typed;
  const isPending = isPlainPending || isTypedPending;
  const { problems } = state;

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (isPending) return;
    const form = new FormData(event.currentTarget);
    startTransition(() => send(form));
  }

  function errorOf(field: string): string | undefined {
    return problems.find((problem) => problem.field === field)?.message;
  }

  const formProps = { action: run, onSubmit: submit, noValidate: true };
  return { state, summary: problems, errorOf, trouble: errorOf("form"), run, isPending, formProps };
}

// By its promise and not by its form, which may leave the page first: that nobody is signed in any more takes forms away.
function awaited(action: FormAction): FormAction {
  // On the server the action itself, so that the form works without scripts.
  if (typeof window === "undefined") return action;
  return async (previous, form) => {
    const endWaiting = awaitAnswer();
    try {
      return await action(previous, form);
    } finally {
      endWaiting();
    }
  };
}

const noAnswer: FormState = {
  problems: [
    {
      field: "form",
      message:
        "No answer came, so it is not known whether this arrived. What you typed is still here. Send it again in a moment: nothing is done twice.",
    },
  ],
  isUnknown: true,
};

function hearSilence(action: FormAction): FormAction {
  return async (previous, form) => {
    try {
      return await action(previous, form);
    } catch (error) {
      // What leads to another page is no error.
      unstable_rethrow(error);
      return { ...noAnswer };
    }
  };
}

"use client";

import { unstable_rethrow } from "next/navigation";
import { type FormEvent, startTransition, useActionState } from "react";
import { type FormState, problemAt, unsentForm } from "#lib/partner/requests/form-state.ts";
import { trackSubmission } from "./live/page-session.ts";

/** A server action of Harbor (lib/partner/requests/partner-action.ts), as a form sees it. */
export type FormAction = (previous: FormState, form: FormData) => Promise<FormState>;

/**
 * What every form of Harbor is built on: sends it to its action and returns the answer, which `FormProblems` shows. A form of
 * buttons takes `action={run}`. One with typed fields takes `formProps`, or calls `send`: React would empty the fields after
 * an action, the server never sends values back, and without an answer the error page would replace the form.
 */
export function useFormAction(action: FormAction) {
  // The first is the form as it works without scripts, and a form of buttons; the second sends what was typed.
  const [plain, run, isPlainPending] = useActionState(awaited(action), unsentForm);
  const [typed, send, isTypedPending] = useActionState(withNetworkError(awaited(action)), unsentForm);
  const state = typed === unsentForm ? plain : typed;
  const isPending = isPlainPending || isTypedPending;

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (isPending) return;
    const form = new FormData(event.currentTarget);
    startTransition(() => send(form));
  }

  function errorOf(field: string): string | undefined {
    return state.problems.find((problem) => problem.field === field)?.message;
  }

  const formProps = { action: run, onSubmit: submit, noValidate: true };
  return { state, errorOf, run, send, isPending, formProps };
}

// By its promise and not by its form, which may leave the page first: that nobody is signed in any more takes forms away.
function awaited(action: FormAction): FormAction {
  // On the server the action itself, so that the form works without scripts.
  if (typeof window === "undefined") return action;
  return async (previous, form) => {
    const endWaiting = trackSubmission();
    try {
      return await action(previous, form);
    } finally {
      endWaiting();
    }
  };
}

/** An action that answers with a form state even when the network doesn't: whether it ran is then unknown. */
export function withNetworkError<Sent>(
  action: (previous: FormState, sent: Sent) => Promise<FormState>,
): (previous: FormState, sent: Sent) => Promise<FormState> {
  return async (previous, sent) => {
    try {
      return await action(previous, sent);
    } catch (error) {
      // A redirect travels as an exception too.
      unstable_rethrow(error);
      const message =
        "We don't know whether this arrived. What you typed is still here. Please send it again in a moment: nothing is done twice.";
      return problemAt("form", message, { title: "We didn't get an answer", isUnknown: true });
    }
  };
}

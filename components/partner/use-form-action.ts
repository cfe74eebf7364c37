"use client";

import { unstable_rethrow } from "next/navigation";
import { type FormEvent, startTransition, useActionState } from "react";
import { type FormState, problemAt, unsentForm } from "#lib/partner/requests/form-state.ts";
import { trackSubmission } from "./live/page-session.ts";

/** A server action of Harbor (lib/partner/requests/partner-action.ts), as a form sees it. */
export type FormAction = (previous: FormState, form: FormData) => Promise<FormState>;

/**
 * Sends a form to its action; `FormProblems` shows the answer. A form of buttons takes `action={run}`; one with typed fields
 * takes `formProps` or calls `send`, which keep the fields and survive network errors.
 */
export function useFormAction(action: FormAction) {
  // The first works without scripts and for buttons; the second sends typed fields.
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

// Tracks the promise, because the form may be unmounted first.
function awaited(action: FormAction): FormAction {
  // The server must render the action itself, for forms without scripts.
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

/** Turns a network error into a form state: the action may or may not have run. */
export function withNetworkError<Sent>(
  action: (previous: FormState, sent: Sent) => Promise<FormState>,
): (previous: FormState, sent: Sent) => Promise<FormState> {
  return async (previous, sent) => {
    try {
      return await action(previous, sent);
    } catch (error) {
      // Redirects are exceptions, too.
      unstable_rethrow(error);
      const message =
        "We don't know whether this arrived. What you typed is still here. Please send it again in a moment: nothing is done twice.";
      return problemAt("form", message, { title: "We didn't get an answer", isUnknown: true });
    }
  };
}

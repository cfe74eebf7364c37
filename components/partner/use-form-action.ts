"use client";

import { unstable_rethrow } from "next/navigation";
import { type FormEvent, startTransition, useActionState, useRef, useState } from "react";
import type * as z from "zod/mini";
import { type FormState, parseForm, problemAt, unsentForm } from "#lib/partner/requests/form-state.ts";
import { words } from "#words";
import { trackSubmission } from "./live/page-session.ts";

/** A server action of Harbor (lib/partner/requests/partner-action.ts), as forms call it. */
export type FormAction = (previous: FormState, form: FormData) => Promise<FormState>;

type Checks = {
  /** Loads the fields' schema, so that mistakes are found before sending. The server checks again. */
  loadFields?: () => Promise<z.ZodMiniType>;
};

/**
 * Sends an `ActionForm` to its action; `FormProblems` shows the answer. A form of buttons takes `action={run}`. One with
 * typed fields takes `formProps` or calls `send`, which keep the fields and survive network errors. Edits clear an error.
 */
export function useFormAction(action: FormAction, { loadFields }: Checks = {}) {
  // The first is for forms without scripts and for buttons; the second sends typed fields.
  const [plain, run, isPlainPending] = useActionState(awaited(action), unsentForm);
  const [typed, send, isTypedPending] = useActionState(withNetworkError(awaited(action)), unsentForm);
  const [found, setFound] = useState<FormState>();
  const state = found ?? (typed === unsentForm ? plain : typed);
  const [edited, setEdited] = useState<{ state: FormState; names: string[] }>({ state, names: [] });
  const isPending = isPlainPending || isTypedPending;
  const isLoading = useRef(false);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isPending || isLoading.current) return;
    const form = new FormData(event.currentTarget);
    isLoading.current = true;
    // If the schema doesn't load, only the server checks.
    const fields = await loadFields?.().catch(() => undefined);
    isLoading.current = false;
    const checked = fields && parseForm(fields, form);
    if (checked?.kind === "problem") return setFound(checked.form);
    startTransition(() => {
      setFound(undefined);
      send(form);
    });
  }

  function edit({ target }: FormEvent<HTMLFormElement>): void {
    const name = target instanceof Element ? target.getAttribute("name") : null;
    if (name !== null && errorOf(name)) setEdited({ state, names: [...editedNames, name] });
  }

  const editedNames = edited.state === state ? edited.names : [];

  function errorOf(field: string): string | undefined {
    if (editedNames.includes(field)) return undefined;
    return state.problems.find((problem) => problem.field === field)?.message;
  }

  const formProps = { action: run, onSubmit: submit, onInput: edit, noValidate: true };
  return { state, errorOf, run, send, isPending, formProps };
}

// Tracks the promise, because the form can unmount first.
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
      const t = words("problems");
      return problemAt("form", t("noAnswer"), { title: t("noAnswerTitle"), isUnknown: true });
    }
  };
}

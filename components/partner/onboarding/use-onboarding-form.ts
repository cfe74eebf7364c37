"use client";

import { type FormEvent, useEffect, useEffectEvent, useRef, useState, useTransition } from "react";
import { type FieldPath, useForm } from "react-hook-form";
import { pagePersonField } from "#lib/partner/live/live-event.ts";
import type { OnboardingInput, OnboardingValues } from "#lib/partner/onboarding/onboarding-fields.ts";
import { type FormState, unsentForm } from "#lib/partner/requests/form-state.ts";
import { lazyResolver, problemsOfErrors, schemaNotLoaded } from "../lazy-resolver.ts";
import { withNetworkError } from "../use-form-action.ts";
import { readDraft, writeDraft } from "./draft.ts";
import { reviewStep, stepOf, steps, useStep } from "./onboarding-steps.ts";
import { questionNames } from "./questions.tsx";

export type OnboardingPerson = { id: string; firstName: string; lastName: string; email: string; phone: string };
export type SendOnboarding = (
  previous: FormState,
  answers: OnboardingInput & { idempotency_key: string },
) => Promise<FormState>;

const lazy = lazyResolver(async () => (await import("#lib/partner/onboarding/onboarding-fields.ts")).onboardingFields);

/** Answers, current step and problems. Answers survive a reload, except for the ssn. */
export function useOnboardingForm(person: OnboardingPerson, action: SendOnboarding) {
  const form = useForm<OnboardingInput, unknown, OnboardingValues>({
    resolver: lazy.resolver,
    // "onTouched" would report a metadata pair as soon as it is added.
    mode: "onBlur",
    reValidateMode: "onBlur",
    // The error summary takes the focus.
    shouldFocusError: false,
    defaultValues: emptyAnswers(person),
  });
  const progress = useStep();
  const { step } = progress;
  // Problems are shown only at the step where they were found.
  const [found, setFound] = useState({ step: 0, ...unsentForm });
  const answer = found.step === step ? found : unsentForm;
  const [isSending, startSending] = useTransition();
  const isRestored = useDraft(form, person.id, progress);
  const keyFor = useIdempotencyKey();
  useEffect(() => endErrorsOnEdit(form), [form]);

  function show(state: FormState): void {
    const at = state.problems[0] ? stepOf(state.problems[0].field) : step;
    setFound({ step: at, ...state });
    progress.goTo(at);
  }

  function goTo(next: number): void {
    setFound({ step: next, ...unsentForm });
    progress.goTo(next);
  }

  async function leaveStep(): Promise<void> {
    const fields = steps[step]?.fields ?? [];
    if (await form.trigger(fields)) goTo(step + 1);
    else show({ problems: fields.flatMap((name) => problemsOfErrors(form.getFieldState(name).error, name)) });
  }

  function send(values: OnboardingValues): void {
    startSending(async () => {
      const sent = { ...values, [pagePersonField]: person.id, idempotency_key: keyFor(values) };
      const state = await withNetworkError(action)(unsentForm, sent);
      for (const { field, message } of state.problems) {
        // Problems without a field appear only in the summary.
        if (stepOf(field) < reviewStep) form.setError(field as FieldPath<OnboardingInput>, { type: "server", message });
      }
      show(state);
    });
  }

  /** Goes to the next step, or sends the form from the last one. */
  async function advance(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    if (!(await lazy.load())) return setFound({ step, ...schemaNotLoaded() });
    if (step < reviewStep) await leaveStep();
    else await form.handleSubmit(send, (errors) => show({ problems: problemsOfErrors(errors) }))(event);
  }

  return { form, step, goTo, begin: lazy.load, advance, answer, isSending, isRestored };
}

type OnboardingForm = ReturnType<typeof useForm<OnboardingInput, unknown, OnboardingValues>>;

/** Clears a field's error when it is edited; returns an unsubscribe function. */
function endErrorsOnEdit(form: OnboardingForm): () => void {
  return form.subscribe({
    formState: { values: true },
    callback: ({ name }) => {
      const field = name as FieldPath<OnboardingInput> | undefined;
      if (field && form.getFieldState(field).error) form.clearErrors(field);
    },
  });
}

/** One key per set of answers: the same for a retry, a new one if the answers changed. */
function useIdempotencyKey(): (values: OnboardingInput) => string {
  const last = useRef({ answers: "", key: "" });
  return (values) => {
    const answers = JSON.stringify(values);
    if (last.current.answers !== answers) last.current = { answers, key: crypto.randomUUID() };
    return last.current.key;
  };
}

function useDraft(
  form: OnboardingForm,
  personId: string,
  { step, reached, restore }: ReturnType<typeof useStep>,
): boolean {
  const [isRestored, setIsRestored] = useState(false);

  const restoreOnce = useEffectEvent(() => {
    const draft = readDraft(personId);
    if (draft) form.reset({ ...form.getValues(), ...draft.values });
    restore(draft);
    setIsRestored(true);
  });
  useEffect(() => restoreOnce(), []);

  useEffect(() => {
    if (!isRestored) return undefined;
    const current = { personId, step, reached };
    writeDraft(current, form.getValues());
    return form.subscribe({
      formState: { values: true },
      callback: ({ values }) => writeDraft(current, values),
    });
  }, [form, isRestored, personId, step, reached]);

  return isRestored;
}

function emptyAnswers({ firstName, lastName }: OnboardingPerson) {
  const unanswered = Object.fromEntries(questionNames.map((name) => [name, ""]));
  return { ...unanswered, first_name: firstName, last_name: lastName, shop: "", metadata: [] };
}

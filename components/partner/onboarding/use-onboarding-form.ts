"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { unstable_rethrow } from "next/navigation";
import { type FormEvent, useEffect, useRef, useState, useTransition } from "react";
import { type FieldPath, useForm } from "react-hook-form";
import type { FieldProblem } from "#lib/contract/errors.ts";
import {
  type OnboardingInput,
  type OnboardingValues,
  onboardingFields,
} from "#lib/partner/onboarding/onboarding-fields.ts";
import { type FormState, unsentForm } from "#lib/partner/requests/form-state.ts";
import { labelledProblems } from "../labelled-problems.ts";
import { problemsOfErrors } from "../problems-of-errors.ts";
import { readDraft, writeDraft } from "./draft.ts";
import { reviewStep, stepOf, steps } from "./onboarding-steps.ts";

export type OnboardingPerson = { id: string; firstName: string; lastName: string; email: string; phone: string };
export type SendOnboarding = (
  previous: FormState,
  answers: OnboardingInput & { idempotency_key: string },
) => Promise<FormState>;

/** The form's answers, where in its steps the person is, and what is wrong; answers outlive a reload, but for the ssn. */
export function useOnboardingForm(person: OnboardingPerson, action: SendOnboarding) {
  const form = useForm<OnboardingInput, unknown, OnboardingValues>({
    resolver: zodResolver(onboardingFields),
    mode: "onTouched",
    // The summary takes the focus.
    shouldFocusError: false,
    defaultValues: emptyAnswers(person),
  });
  const [step, setStep] = useState(0);
  const [problems, setProblems] = useState<FieldProblem[]>([]);
  const [isSending, startSending] = useTransition();
  const isRestored = useDraft(form, person.id, step, setStep);
  const keyFor = useIdempotencyKey();

  function show(found: FieldProblem[]): void {
    setProblems(labelledProblems(found));
    if (found[0]) setStep(stepOf(found[0].field));
  }

  function goTo(next: number): void {
    setProblems([]);
    setStep(next);
  }

  async function leaveStep(): Promise<void> {
    const fields = steps[step]?.fields ?? [];
    if (await form.trigger(fields)) goTo(step + 1);
    else show(fields.flatMap((name) => problemsOfErrors(form.getFieldState(name).error, name)));
  }

  function send(values: OnboardingValues): void {
    startSending(async () => {
      const found = await sendSafely(action, { ...values, idempotency_key: keyFor(values) });
      for (const { field, message } of found) {
        // The server speaks of the fields that it was sent; what is about none of them stands in the summary alone.
        if (stepOf(field) < reviewStep) form.setError(field as FieldPath<OnboardingInput>, { type: "server", message });
      }
      show(found);
    });
  }

  /** On to the next step when this one is in order; from the last, away to Harbor's server. */
  async function advance(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    if (step < reviewStep) await leaveStep();
    else await form.handleSubmit(send, (errors) => show(problemsOfErrors(errors)))(event);
  }

  return { form, step, goTo, advance, problems, isSending, isRestored };
}

async function sendSafely(action: SendOnboarding, answers: Parameters<SendOnboarding>[1]): Promise<FieldProblem[]> {
  try {
    return (await action(unsentForm, answers)).problems;
  } catch (error) {
    // The way on to the next page travels as an exception too.
    unstable_rethrow(error);
    return [{ field: "form", message: "Harbor did not answer. Please check your connection and send it again." }];
  }
}

/** One key for one set of answers: a second click and a retry carry the same, changed answers a new one. */
function useIdempotencyKey(): (values: OnboardingInput) => string {
  const last = useRef({ answers: "", key: "" });
  return (values) => {
    const answers = JSON.stringify(values);
    if (last.current.answers !== answers) last.current = { answers, key: crypto.randomUUID() };
    return last.current.key;
  };
}

function useDraft(
  form: ReturnType<typeof useForm<OnboardingInput, unknown, OnboardingValues>>,
  personId: string,
  step: number,
  setStep: (step: number) => void,
): boolean {
  const [isRestored, setIsRestored] = useState(false);

  useEffect(() => {
    const draft = readDraft(personId);
    if (draft) {
      form.reset({ ...form.getValues(), ...draft.values });
      setStep(draft.step);
    }
    setIsRestored(true);
  }, [form, personId, setStep]);

  useEffect(() => {
    if (!isRestored) return undefined;
    writeDraft(personId, step, form.getValues());
    return form.subscribe({
      formState: { values: true },
      callback: ({ values }) => writeDraft(personId, step, values),
    });
  }, [form, isRestored, personId, step]);

  return isRestored;
}

function emptyAnswers({ firstName, lastName }: OnboardingPerson): OnboardingInput {
  return {
    first_name: firstName,
    last_name: lastName,
    date_of_birth: "",
    ssn: "",
    address1: "",
    address2: "",
    city: "",
    // An empty choice is no state; the schema says so when it is left.
    state: "" as OnboardingInput["state"],
    postal_code: "",
    metadata: [],
  };
}

"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { unstable_rethrow } from "next/navigation";
import { useEffect, useRef, useState, useTransition } from "react";
import { type FieldPath, useForm } from "react-hook-form";
import type { FieldProblem } from "#lib/contract/errors.ts";
import {
  type OnboardingInput,
  type OnboardingValues,
  onboardingFields,
} from "#lib/partner/onboarding/onboarding-fields.ts";
import type { FormState } from "#lib/partner/people/form-state.ts";
import { labelledProblems } from "../labelled-problems.ts";
import { readDraft, writeDraft } from "./draft.ts";
import { problemsIn, reviewStep, stepOf } from "./onboarding-steps.ts";

export type OnboardingPerson = { id: string; firstName: string; lastName: string; email: string; phone: string };
export type SendOnboarding = (input: OnboardingInput, idempotencyKey: string) => Promise<FormState>;

/** The form's answers, where in its steps the person is, and what is wrong; answers outlive a reload, but for the ssn. */
export function useOnboardingForm(person: OnboardingPerson, send: SendOnboarding) {
  const form = useForm<OnboardingInput, unknown, OnboardingValues>({
    resolver: zodResolver(onboardingFields),
    mode: "onTouched",
    defaultValues: emptyAnswers(person),
  });
  const [step, setStep] = useState(0);
  const [problems, setProblems] = useState<FieldProblem[]>([]);
  const [isSending, startSending] = useTransition();
  const isRestored = useDraft(form, person.id, step, setStep);
  const keyFor = useIdempotencyKey();

  function show(found: FieldProblem[]): void {
    setProblems(labelledProblems(found));
    for (const { field, message } of found) {
      if (field !== "form") form.setError(field as FieldPath<OnboardingInput>, { type: "summary", message });
    }
    if (found[0]) setStep(stepOf(found[0].field));
  }

  function goTo(next: number): void {
    setProblems([]);
    setStep(next);
  }

  /** On to the next step when this one is in order; from the last, away to Harbor's server. */
  function advance(): void {
    if (isSending) return;
    const values = form.getValues();
    const found = problemsIn(values, step < reviewStep ? step : undefined);
    if (found.length > 0) show(found);
    else if (step < reviewStep) goTo(step + 1);
    else startSending(async () => show(await sendSafely(send, values, keyFor(values))));
  }

  return { form, step, goTo, advance, problems, isSending, isRestored };
}

async function sendSafely(send: SendOnboarding, values: OnboardingInput, key: string): Promise<FieldProblem[]> {
  try {
    return (await send(values, key)).problems;
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

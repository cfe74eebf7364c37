"use client";

import { useEffect, useRef } from "react";
import { FormProvider } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { Steps } from "#components/ui/steps.tsx";
import { AboutYouStep } from "./about-you-step.tsx";
import { AddressStep } from "./address-step.tsx";
import { MetadataStep } from "./metadata-step.tsx";
import { reviewStep, stepOf, steps } from "./onboarding-steps.ts";
import { ReviewStep } from "./review-step.tsx";
import { type OnboardingPerson, type SendOnboarding, useOnboardingForm } from "./use-onboarding-form.ts";

type OnboardingFormProps = { person: OnboardingPerson; send: SendOnboarding };

/** Who is to be paid, asked in four steps. */
export function OnboardingForm({ person, send }: OnboardingFormProps) {
  const { form, step, goTo, advance, problems, isSending, isRestored } = useOnboardingForm(person, send);
  // A reload forgets it, and the review says so: nothing can be sent without.
  const isSsnMissing = step === reviewStep && form.getValues("ssn") === "";
  const heading = useFocusOnChange(step);
  return (
    <FormProvider {...form}>
      <Steps steps={steps.map(({ title }) => title)} current={step} />
      <form
        noValidate
        method="post"
        aria-busy={!isRestored}
        className="flex flex-col gap-6"
        onSubmit={(event) => {
          if (!isSsnMissing) return advance(event);
          event.preventDefault();
          return goTo(stepOf("ssn"));
        }}
      >
        <ErrorSummary problems={problems} />
        <h2 ref={heading} tabIndex={-1} className="text-2xl outline-none">
          {steps[step]?.title}
        </h2>
        {step === 0 ? <AboutYouStep email={person.email} phone={person.phone} /> : null}
        {step === 1 ? <AddressStep /> : null}
        {step === 2 ? <MetadataStep /> : null}
        {step === reviewStep ? <ReviewStep email={person.email} phone={person.phone} goTo={goTo} /> : null}
        <div className="flex flex-wrap gap-3">
          <Button type="submit" size="lg" pending={isSending} disabled={!isRestored}>
            {isSsnMissing ? "Enter it" : step === reviewStep ? "Submit" : "Continue"}
          </Button>
          {step > 0 ? (
            <Button size="lg" variant="ghost" onClick={() => goTo(step - 1)} disabled={isSending}>
              Back
            </Button>
          ) : null}
        </div>
      </form>
    </FormProvider>
  );
}

/** A step that comes into view takes the focus, so that a screen reader hears where it is; the first view does not. */
function useFocusOnChange(step: number) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    heading.current?.focus();
  }, [step]);
  return heading;
}

"use client";

import type { ReactNode } from "react";
import { useFormContext } from "react-hook-form";
import { Alert } from "#components/ui/alert.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { formatPhone } from "#lib/kit/us-phone.ts";
import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";
import { questionsOf, steps } from "./onboarding-steps.ts";
import { type Question, questions } from "./questions.tsx";

type ReviewStepProps = { email: string; phone: string; goTo: (step: number) => void };

export function ReviewStep({ email, phone, goTo }: ReviewStepProps) {
  const { getValues } = useFormContext<OnboardingInput>();
  const { ssn, shop, metadata } = getValues();
  return (
    <>
      {ssn ? null : (
        <Alert tone="warning" title="Please enter your Social Security number again">
          We never store it, so we need it again. Your other answers are kept.
        </Alert>
      )}
      <Section step={0} goTo={goTo}>
        <DescriptionList
          items={[
            ...answersTo("About you", getValues()),
            { term: "Email", details: email },
            { term: "Mobile phone", details: formatPhone(phone) },
          ]}
        />
      </Section>
      <Section step={1} goTo={goTo}>
        <DescriptionList items={answersTo("Address", getValues())} />
      </Section>
      <Section step={2} goTo={goTo}>
        <DescriptionList
          items={[
            { term: "Shop number", details: shop || <span className="text-ink-soft">None</span> },
            ...metadata.map(({ key, value }) => ({ term: <code>{key}</code>, details: value })),
          ]}
        />
      </Section>
    </>
  );
}

/** The answers of a step, but for those that were left empty because they may be. */
function answersTo(step: Question["step"], values: OnboardingInput) {
  return questionsOf(step).flatMap((name) => {
    const { label, review, optional } = questions[name];
    const answer = values[name];
    return optional && !answer ? [] : [{ term: label, details: review ? review(answer) : answer }];
  });
}

function Section({ step, goTo, children }: { step: number; goTo: (step: number) => void; children: ReactNode }) {
  const title = steps[step]?.title;
  return (
    <Card
      title={title}
      actions={
        <Button variant="ghost" size="sm" onClick={() => goTo(step)}>
          Change<span className="sr-only"> {title}</span>
        </Button>
      }
    >
      {children}
    </Card>
  );
}

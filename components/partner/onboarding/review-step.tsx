"use client";

import type { ReactNode } from "react";
import { useFormContext } from "react-hook-form";
import { Alert } from "#components/ui/alert.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";
import { steps } from "./onboarding-steps.ts";

type ReviewStepProps = { email: string; phone: string; goTo: (step: number) => void };

/** All answers once more, each with the way back to where it is asked. Of the ssn only its end is shown. */
export function ReviewStep({ email, phone, goTo }: ReviewStepProps) {
  const { getValues } = useFormContext<OnboardingInput>();
  const { first_name, last_name, date_of_birth, ssn, address1, address2, city, state, postal_code, metadata } =
    getValues();
  return (
    <>
      {ssn ? null : (
        <Alert tone="warning" title="Your social security number is needed once more">
          It is never kept, so a reload forgets it.
        </Alert>
      )}
      <Section step={0} goTo={goTo}>
        <DescriptionList
          items={[
            { term: "Name", details: `${first_name} ${last_name}` },
            { term: "Date of birth", details: date_of_birth },
            { term: "Social security number", details: ssn ? `Ends in ${ssn.slice(-4)}` : "Missing" },
            { term: "E-mail", details: email },
            { term: "Mobile phone", details: phone },
          ]}
        />
      </Section>
      <Section step={1} goTo={goTo}>
        <address className="not-italic">
          {[address1, address2, `${city}, ${state} ${postal_code}`].filter(Boolean).map((line) => (
            <span key={line} className="block">
              {line}
            </span>
          ))}
        </address>
      </Section>
      <Section step={2} goTo={goTo}>
        {metadata.length === 0 ? (
          <p className="text-ink-soft">None of your own.</p>
        ) : (
          <DescriptionList items={metadata.map(({ key, value }) => ({ term: <code>{key}</code>, details: value }))} />
        )}
      </Section>
    </>
  );
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

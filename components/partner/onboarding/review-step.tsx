"use client";

import type { ReactNode } from "react";
import { useFormContext } from "react-hook-form";
import { Alert } from "#components/ui/alert.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { formatPhone } from "#lib/kit/us-phone.ts";
import type { OnboardingInput, QuestionName } from "#lib/partner/onboarding/onboarding-fields.ts";
import { useReaderLocale, useWords } from "#use-words";
import { questionsOf, steps } from "./onboarding-steps.ts";
import { type Question, questions } from "./questions.tsx";

type ReviewStepProps = { email: string; phone: string; goTo: (step: number) => void };

export function ReviewStep({ email, phone, goTo }: ReviewStepProps) {
  const { getValues } = useFormContext<OnboardingInput>();
  const { ssn, shop, metadata } = getValues();
  const t = useWords("onboarding");
  const person = useWords("person");
  const answersTo = useAnswers();
  return (
    <>
      {ssn ? null : (
        <Alert tone="warning" title={t("review.ssnTitle")}>
          {t("review.ssnText")}
        </Alert>
      )}
      <Section step={0} goTo={goTo}>
        <DescriptionList
          items={[
            ...answersTo("aboutYou", getValues()),
            { term: person("email"), details: email },
            { term: person("phone"), details: formatPhone(phone) },
          ]}
        />
      </Section>
      <Section step={1} goTo={goTo}>
        <DescriptionList items={answersTo("address", getValues())} />
      </Section>
      <Section step={2} goTo={goTo}>
        <DescriptionList
          items={[
            { term: t("shop.label"), details: shop || <span className="text-ink-soft">{t("shop.none")}</span> },
            ...metadata.map(({ key, value }) => ({ term: <code>{key}</code>, details: value })),
          ]}
        />
      </Section>
    </>
  );
}

/** A step's answers, without optional ones that were left empty. */
function useAnswers() {
  const t = useWords("onboarding");
  const locale = useReaderLocale();
  function shownAs(name: QuestionName, answer: string): string {
    if (name === "ssn") return answer ? t("ssnEndsIn", { ending: answer.slice(-4) }) : t("ssnMissing");
    return questions[name].review?.(answer, locale) ?? answer;
  }
  return (step: Question["step"], values: OnboardingInput) =>
    questionsOf(step).flatMap((name) => {
      const answer = values[name];
      if (questions[name].optional && !answer) return [];
      return [{ term: t(`labels.${name}`), details: shownAs(name, answer) }];
    });
}

function Section({ step, goTo, children }: { step: number; goTo: (step: number) => void; children: ReactNode }) {
  const t = useWords("onboarding");
  const title = t(`steps.${steps[step]?.name ?? "review"}`);
  return (
    <Card
      title={title}
      actions={
        <Button variant="ghost" size="sm" onClick={() => goTo(step)}>
          {t.rich("review.change", { title, hidden: (text) => <span className="sr-only">{text}</span> })}
        </Button>
      }
    >
      {children}
    </Card>
  );
}

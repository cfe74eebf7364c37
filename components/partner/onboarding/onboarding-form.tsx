"use client";

import { type MouseEvent, useEffect, useLayoutEffect, useRef } from "react";
import { FormProvider } from "react-hook-form";
import { brandName } from "#brand/name.ts";
import { useFillable } from "#components/sandbox/fillable.ts";
import { screeningOutcomes, ssnFor } from "#components/sandbox/outcomes.ts";
import { Alert } from "#components/ui/alert.tsx";
import { Button } from "#components/ui/button.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Steps } from "#components/ui/steps.tsx";
import { formatPhone } from "#lib/kit/us-phone.ts";
import { useWords } from "#use-words";
import { FormProblems } from "../form-problems.tsx";
import { questionsOf, reviewStep, stepOf, steps } from "./onboarding-steps.ts";
import { QuestionFields } from "./questions.tsx";
import { ReviewStep } from "./review-step.tsx";
import { ShopStep } from "./shop-step.tsx";
import { type OnboardingPerson, type SendOnboarding, useOnboardingForm } from "./use-onboarding-form.ts";

/** `isLost`: the service no longer has what the person sent before. */
type OnboardingProps = { person: OnboardingPerson; isLost: boolean; send: SendOnboarding };

export function Onboarding({ person, isLost, send }: OnboardingProps) {
  const t = useWords("onboarding");
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("title")} description={t("lead")} />
      {isLost ? (
        <div className="mb-8">
          <Alert tone="warning" title={t("lost.title")}>
            {t("lost.text")}
          </Alert>
        </div>
      ) : null}
      <OnboardingForm person={person} send={send} />
    </div>
  );
}

type OnboardingFormProps = { person: OnboardingPerson; send: SendOnboarding };

export function OnboardingForm({ person, send }: OnboardingFormProps) {
  const { form, step, goTo, begin, advance, answer, isSending, isRestored } = useOnboardingForm(person, send);
  // Required, and lost by a reload.
  const isSsnMissing = step === reviewStep && form.getValues("ssn") === "";
  const t = useWords("onboarding");
  const stepTitle = t(`steps.${steps[step]?.name ?? "review"}`);
  const heading = useFocusOnChange(step);
  useTitle(`${stepTitle} · ${t("title")} · ${brandName}`);
  useFillable({
    label: "Fill it in",
    outcomes: screeningOutcomes,
    fill: (made, outcome) => {
      const { dateOfBirth, address1, city, state, postalCode: postal_code } = made;
      const filled = {
        date_of_birth: `${dateOfBirth.month}/${dateOfBirth.day}/${dateOfBirth.year}`,
        ssn: ssnFor(made.ssn, outcome),
        address1,
        address2: "",
        city,
        state,
        postal_code,
      };
      form.reset({ ...form.getValues(), ...filled });
      goTo(reviewStep);
      return undefined;
    },
  });
  return (
    <FormProvider {...form}>
      <Steps steps={steps.map(({ name }) => t(`steps.${name}`))} current={step} />
      <form
        noValidate
        method="post"
        aria-busy={!isRestored}
        className="flex flex-col gap-6"
        onFocus={begin}
        onMouseDown={keepFocusUntilClick}
        onSubmit={(event) => {
          if (!isSsnMissing) return advance(event);
          event.preventDefault();
          return goTo(stepOf("ssn"));
        }}
      >
        <div className="hidden noscript:block">
          <Alert tone="warning" title={t("noScripts.title")}>
            {t("noScripts.text")}
          </Alert>
        </div>
        <FormProblems {...answer} />
        <h2 ref={heading} tabIndex={-1} className="text-2xl outline-none">
          {stepTitle}
        </h2>
        {step === 0 ? <AboutYouStep email={person.email} phone={person.phone} /> : null}
        {step === 1 ? <QuestionFields names={questionsOf("address")} /> : null}
        {step === 2 ? <ShopStep /> : null}
        {step === reviewStep ? <ReviewStep email={person.email} phone={person.phone} goTo={goTo} /> : null}
        <div className="flex flex-wrap gap-3">
          <Button type="submit" size="lg" pending={isSending} disabled={!isRestored}>
            {t(isSsnMissing ? "enterSsn" : step === reviewStep ? "submit" : "next")}
          </Button>
          {step > 0 ? (
            <Button size="lg" variant="ghost" onClick={() => goTo(step - 1)} disabled={isSending}>
              {t("back")}
            </Button>
          ) : null}
        </div>
      </form>
    </FormProvider>
  );
}

/** A blur can show an error, which would move the click target from under the pointer. */
function keepFocusUntilClick(event: MouseEvent): void {
  if (event.target instanceof Element && event.target.closest("button, summary, a")) event.preventDefault();
}

/** Focuses a new step's heading for screen readers, but not on page load. */
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

/** Keeps a step's own title, even when Next adds the page's title, which arrives later than the page. */
function useTitle(title: string): void {
  useLayoutEffect(() => {
    function rename(): void {
      // Next's own element, which it removes with the page.
      const shown = document.querySelector("head title");
      if (shown && shown.textContent !== title) shown.textContent = title;
    }
    rename();
    const observer = new MutationObserver(rename);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    // Stops before the next page sets its title.
    return () => observer.disconnect();
  }, [title]);
}

export function AboutYouStep({ email, phone }: { email: string; phone: string }) {
  const t = useWords("person");
  return (
    <>
      <QuestionFields names={questionsOf("aboutYou")} />
      <DescriptionList
        items={[
          { term: t("email"), details: email },
          { term: t("phone"), details: formatPhone(phone) },
        ]}
      />
    </>
  );
}

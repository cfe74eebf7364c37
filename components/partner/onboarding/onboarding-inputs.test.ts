import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { type FieldValues, FormProvider, useForm } from "react-hook-form";
import { expect, test } from "vitest";
import { stateCodes } from "#lib/contract/state-codes.ts";
import { onboardingForm } from "#lib/partner/onboarding/onboarding-fields.ts";
import { withWords } from "../testing/with-words.tsx";
import { AboutYouStep } from "./onboarding-form.tsx";
import { queryOfStep, questionsOf, stepOfQuery, steps } from "./onboarding-steps.ts";
import { QuestionFields, questionNames } from "./questions.tsx";
import { ShopStep } from "./shop-step.tsx";

function Form({ step }: { step: ReactElement }) {
  const form = useForm<FieldValues>({ defaultValues: { date_of_birth: "05/14/1990", shop: "", metadata: [] } });
  // biome-ignore lint/correctness/noChildrenProp: the provider's type requires children as a prop
  return createElement(FormProvider, { ...form, children: step });
}

function shown(step: ReactElement): string {
  return renderToStaticMarkup(withWords("Other Books", createElement(Form, { step })));
}

test("the shop number has no developer note: the inspector shows what's sent", () => {
  const page = shown(createElement(ShopStep));
  expect(page).toContain("Shop number");
  expect(page).not.toContain("metadata.shop");
});

test("the date of birth has three fields, month first, that browsers fill in", () => {
  const page = shown(createElement(AboutYouStep, { email: "marta@example.com", phone: "+14155550123" }));
  const fields = [...page.matchAll(/<input[^>]*autoComplete="bday-(\w+)"[^>]*value="(\d+)"/g)];
  expect(fields.map(([, part, value]) => [part, value])).toEqual([
    ["month", "05"],
    ["day", "14"],
    ["year", "1990"],
  ]);
  expect(page).toContain("(415) 555-0123");
});

test("the ssn is not a password field, is masked without focus, and is never stored", () => {
  const page = shown(createElement(AboutYouStep, { email: "", phone: "" }));
  const [ssn = ""] = /<input[^>]*id="ssn"[^>]*>/.exec(page) ?? [];
  expect(ssn).toContain('type="text"');
  expect(ssn).toContain('autoComplete="off"');
  expect(ssn).toContain("not-focus:[-webkit-text-security:disc]");
  expect(ssn).toContain('data-lpignore="true"');
  expect(page).toContain('for="ssn"');
});

test("the questions come in the order in which they're validated", () => {
  expect(questionNames).toEqual(Object.keys(onboardingForm.shape).slice(0, questionNames.length));
});

test("a state is chosen by its name and sent by its code", () => {
  const page = shown(createElement(QuestionFields, { names: questionsOf("address") }));
  const options = [...page.matchAll(/<option value="([A-Z]{2})">([^<]*)</g)];
  expect(options.map(([, code]) => code).sort()).toEqual([...stateCodes].sort());
  for (const [, , name] of options) expect(name).toMatch(/^[A-Z][a-z]+|^US /);
  expect(page).toContain('<option value="CA">California</option>');
});

test("each step has its own URL, which keeps the page's other query parameters", () => {
  const restart = new URLSearchParams("again=yes");
  for (const [step] of steps.entries()) {
    expect(stepOfQuery(new URLSearchParams(queryOfStep(step, restart)))).toBe(step === 0 ? undefined : step);
    expect(queryOfStep(step, restart)).toContain("again=yes");
  }
  expect(queryOfStep(0, new URLSearchParams("step=review"))).toBe("");
  expect(stepOfQuery(new URLSearchParams("step=elsewhere"))).toBeUndefined();
});

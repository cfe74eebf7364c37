import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { type FieldValues, FormProvider, useForm } from "react-hook-form";
import { expect, onTestFinished, test, vi } from "vitest";
import { stateCodes } from "#lib/contract/people.ts";
import { onboardingForm } from "#lib/partner/onboarding/onboarding-fields.ts";
import { withWords } from "../testing/with-words.tsx";
import { clearDraft, readDraft, writeDraft } from "./draft.ts";
import { AboutYouStep } from "./onboarding-form.tsx";
import { queryOfStep, questionsOf, stepOf, stepOfQuery, steps } from "./onboarding-steps.ts";
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

test("a draft survives a reload, for its person only and without the SSN", () => {
  const stored = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const values = {
    ...{ first_name: "Marta", last_name: "Quay", date_of_birth: "05/14/1990", address1: "12 Wharf Street" },
    ...{ address2: "", city: "Boston", state: "MA", postal_code: "02110", shop: "42", metadata: [] },
  };
  const draft = { personId: "p-1", step: 1, reached: 2 };
  const write = () => writeDraft(draft, { ...values, ssn: "519-55-1234" });
  write();
  expect([...stored.values()].join()).not.toContain("519");
  expect(readDraft("p-1")).toEqual({ ...draft, values });
  clearDraft();
  expect(readDraft("p-1")).toBeUndefined();
  write();
  expect(readDraft("p-2")).toBeUndefined();
  expect([...stored]).toEqual([]);
  stored.set("harbor-onboarding", "{");
  expect(readDraft("p-1")).toBeUndefined();
});

test.each([
  ["first_name", "aboutYou"],
  ["ssn", "aboutYou"],
  ["postal_code", "address"],
  ["shop", "yourShop"],
  ["metadata.0.key", "yourShop"],
  ["form", "review"],
])("a problem with %s is shown at the step %s", (field, name) => {
  expect(steps[stepOf(field)]?.name).toBe(name);
});

import type { OnboardingInput, QuestionName } from "#lib/partner/onboarding/onboarding-fields.ts";
import { type Question, questionNames, questions } from "./questions.ts";

/** The names of the questions that a step asks, in their order. */
export function questionsOf(step: Question["step"]): QuestionName[] {
  return questionNames.filter((name) => questions[name].step === step);
}

/** The steps in their order, each with its name in the page's address and the fields that it asks for. Review asks for none. */
export const steps: { title: string; slug: string; fields: (keyof OnboardingInput)[] }[] = [
  { title: "About you", slug: "about-you", fields: questionsOf("About you") },
  { title: "Address", slug: "address", fields: questionsOf("Address") },
  { title: "Your shop", slug: "your-shop", fields: ["shop", "metadata"] },
  { title: "Review", slug: "review", fields: [] },
];

/** The last step, from which the form is sent. */
export const reviewStep = steps.length - 1;

/** The step that asks for a field, as `ssn` or `metadata.0.key`; the last one for what no field can mend. */
export function stepOf(field: string): number {
  const [name] = field.split(".");
  const found = steps.findIndex(({ fields }) => fields.some((known) => known === name));
  return found < 0 ? reviewStep : found;
}

/** The step that an address names, `?step=address`; undefined when it names none. */
export function stepOfQuery(query: URLSearchParams): number | undefined {
  const found = steps.findIndex(({ slug }) => slug === query.get("step"));
  return found < 0 ? undefined : found;
}

/** The address of a step, with everything else that the page's address says. The first step is the page itself. */
export function queryOfStep(step: number, query: URLSearchParams): string {
  const changed = new URLSearchParams(query);
  changed.delete("step");
  if (step > 0) changed.set("step", steps[step]?.slug ?? "");
  return changed.size > 0 ? `?${changed}` : "";
}

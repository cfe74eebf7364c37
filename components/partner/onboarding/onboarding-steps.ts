"use client";

import { useSearchParams } from "next/navigation";
import { useState } from "react";
import type { OnboardingInput, QuestionName } from "#lib/partner/onboarding/onboarding-fields.ts";
import { type Question, questionNames, questions } from "./questions.tsx";

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

/**
 * The step in view, which the page's address names, so that Back, Forward and a reload do what they do on any page. No
 * address leads farther than the person has got (`reached`): nothing is sent that nobody has seen.
 */
export function useStep() {
  const query = useSearchParams();
  const [reached, setReached] = useState(0);
  const named = stepOfQuery(query);

  function goTo(step: number): void {
    setReached(Math.max(reached, step));
    if (step !== (named ?? 0)) window.history.pushState(null, "", addressOf(step, query));
  }

  /** After a reload: how far the person had got, and the step to show when the address names none. */
  function restore(place: { step: number; reached: number } | undefined): void {
    const farthest = place?.reached ?? 0;
    setReached(farthest);
    // Somebody who begins again looks at every answer once more.
    const wanted = named ?? (query.has("again") ? 0 : (place?.step ?? 0));
    const address = addressOf(Math.min(wanted, farthest), query);
    // Where nothing changes, the entry keeps what the router noted in it, without which Back to it would show nothing new.
    if (address !== window.location.pathname + window.location.search) window.history.replaceState(null, "", address);
  }

  return { step: Math.min(named ?? 0, reached), reached, goTo, restore };
}

function addressOf(step: number, query: URLSearchParams): string {
  return window.location.pathname + queryOfStep(step, new URLSearchParams(query));
}

"use client";

import { useSearchParams } from "next/navigation";
import { useState } from "react";
import type { OnboardingInput, QuestionName } from "#lib/partner/onboarding/onboarding-fields.ts";
import { type Question, questionNames, questions } from "./questions.tsx";

/** A step's questions, in order. */
export function questionsOf(step: Question["step"]): QuestionName[] {
  return questionNames.filter((name) => questions[name].step === step);
}

/** Each step has a name in the catalog, a slug for the URL, and fields. */
export const steps: {
  name: "aboutYou" | "address" | "yourShop" | "review";
  slug: string;
  fields: (keyof OnboardingInput)[];
}[] = [
  { name: "aboutYou", slug: "about-you", fields: questionsOf("aboutYou") },
  { name: "address", slug: "address", fields: questionsOf("address") },
  { name: "yourShop", slug: "your-shop", fields: ["shop", "metadata"] },
  { name: "review", slug: "review", fields: [] },
];

export const reviewStep = steps.length - 1;

/** The step with a field like `ssn` or `metadata.0.key`; the last step for `form`. */
export function stepOf(field: string): number {
  const [name] = field.split(".");
  const found = steps.findIndex(({ fields }) => fields.some((known) => known === name));
  return found < 0 ? reviewStep : found;
}

/** The step in a query, `?step=address`. */
export function stepOfQuery(query: URLSearchParams): number | undefined {
  const found = steps.findIndex(({ slug }) => slug === query.get("step"));
  return found < 0 ? undefined : found;
}

/** A step's query, keeping the rest of the page's query. */
export function queryOfStep(step: number, query: URLSearchParams): string {
  const changed = new URLSearchParams(query);
  changed.delete("step");
  if (step > 0) changed.set("step", steps[step]?.slug ?? "");
  return changed.size > 0 ? `?${changed}` : "";
}

/** The current step, kept in the URL for Back, Forward and reloads. No URL leads past `reached`. */
export function useStep() {
  const query = useSearchParams();
  const [reached, setReached] = useState(0);
  const named = stepOfQuery(query);

  function goTo(step: number): void {
    setReached(Math.max(reached, step));
    if (step !== (named ?? 0)) window.history.pushState(null, "", addressOf(step, query));
  }

  /** Restores the position after a reload. */
  function restore(saved: { step: number; reached: number } | undefined): void {
    const farthest = saved?.reached ?? 0;
    setReached(farthest);
    // Starting again means reviewing every answer.
    const requestedStep = named ?? (query.has("again") ? 0 : (saved?.step ?? 0));
    const address = addressOf(Math.min(requestedStep, farthest), query);
    // An unchanged entry must keep the router's state, or Back wouldn't re-render.
    if (address !== window.location.pathname + window.location.search) window.history.replaceState(null, "", address);
  }

  return { step: Math.min(named ?? 0, reached), reached, goTo, restore };
}

function addressOf(step: number, query: URLSearchParams): string {
  return window.location.pathname + queryOfStep(step, new URLSearchParams(query));
}

"use client";

import { useEffect, useRef, useSyncExternalStore } from "react";
import type { Outcome } from "./outcomes.ts";
import type { TestPerson } from "./test-person.ts";

export type Fillable = {
  label: string;
  /** The default comes first. */
  outcomes?: Outcome[];
  /** Fills in the form; may return a note to show. `outcome` is empty if there are no outcomes. */
  fill: (person: TestPerson, outcome: string) => Promise<string | undefined> | string | undefined;
};

let current: Fillable | undefined;
const listeners = new Set<() => void>();

/** Registers a form with the sandbox bar while mounted. Does nothing without a bar. */
export function useFillable(fillable: Fillable): void {
  const latest = useRef(fillable);
  useEffect(() => {
    latest.current = fillable;
  });
  const { label, outcomes } = fillable;
  useEffect(() => {
    const offered: Fillable = {
      label,
      outcomes,
      fill: (person, outcome) => latest.current.fill(person, outcome),
    };
    offer(offered);
    return () => {
      if (current === offered) offer(undefined);
    };
  }, [label, outcomes]);
}

export function useCurrentFillable(): Fillable | undefined {
  return useSyncExternalStore(
    subscribe,
    () => current,
    () => undefined,
  );
}

/** Types values into the form that contains this field, like a person would; skips unknown names. */
export async function typeInto(fieldId: string, values: Record<string, string>): Promise<HTMLFormElement | undefined> {
  const field = document.getElementById(fieldId);
  const form = field instanceof HTMLInputElement ? field.form : null;
  if (!form) return undefined;
  for (const [name, value] of Object.entries(values)) {
    const input = form.elements.namedItem(name);
    if (input instanceof HTMLInputElement || input instanceof HTMLSelectElement) type(input, value);
    // Let React render before the next field, in case they share state.
    await new Promise((shown) => setTimeout(shown));
  }
  return form;
}

// React only notices a value set with the native setter and events.
function type(input: HTMLInputElement | HTMLSelectElement, value: string): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), "value")?.set?.call(input, value);
  input.dispatchEvent(new Event("input", { bubbles: true }));
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

function offer(fillable: Fillable | undefined): void {
  current = fillable;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

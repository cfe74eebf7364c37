"use client";

import { useEffect, useRef, useSyncExternalStore } from "react";
import type { Outcome } from "./outcomes.ts";
import type { TestPerson } from "./test-person.ts";

/** A form that lets the sandbox bar fill it in. */
export type Fillable = {
  /** What the bar's button says. */
  label: string;
  /** The endings to choose from, the usual one first. */
  outcomes?: Outcome[];
  /** Writes the values into the form; may answer with a sentence for the person. `outcome` is empty where there is no choice. */
  fill: (person: TestPerson, outcome: string) => Promise<string | undefined> | string | undefined;
};

let current: Fillable | undefined;
const listeners = new Set<() => void>();

/** Offers a form to the sandbox bar while it is on the page. Where there is no bar, nothing comes of it. */
export function useFillable(fillable: Fillable): void {
  const latest = useRef(fillable);
  useEffect(() => {
    latest.current = fillable;
  });
  const { label, outcomes } = fillable;
  useEffect(() => {
    const offered: Fillable = {
      label,
      ...(outcomes && { outcomes }),
      fill: (person, outcome) => latest.current.fill(person, outcome),
    };
    offer(offered);
    return () => {
      if (current === offered) offer(undefined);
    };
  }, [label, outcomes]);
}

/** The form that is on the page now, if one can be filled in. */
export function useCurrentFillable(): Fillable | undefined {
  return useSyncExternalStore(
    subscribe,
    () => current,
    () => undefined,
  );
}

/** Types into the fields of the form that holds the field of this id, as a person would; unknown names are passed over. */
export async function typeInto(fieldId: string, values: Record<string, string>): Promise<HTMLFormElement | undefined> {
  const field = document.getElementById(fieldId);
  const form = field instanceof HTMLInputElement ? field.form : null;
  if (!form) return undefined;
  for (const [name, value] of Object.entries(values)) {
    const input = form.elements.namedItem(name);
    if (input instanceof HTMLInputElement || input instanceof HTMLSelectElement) type(input, value);
    // A field that shares its state with the next one has to be shown first.
    await new Promise((shown) => setTimeout(shown));
  }
  return form;
}

// React hears of a value only when it was set past its own setter and an event tells so.
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

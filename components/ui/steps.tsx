"use client";

import { fillIn, useUiWords } from "./ui-words.tsx";

/** `current` is counted from 0. */
export type StepsProps = { steps: string[]; current: number };

/** A progress indicator; on phones only the current step has a label. */
export function Steps({ steps, current }: StepsProps) {
  const words = useUiWords();
  return (
    <nav aria-label={words.progress} className="mb-8">
      <p className="mb-3 font-semibold sm:hidden">
        {fillIn(words.step, { current: current + 1, count: steps.length, title: steps[current] ?? "" })}
      </p>
      <ol className="flex gap-2 sm:gap-4">
        {steps.map((step, index) => (
          <li key={step} aria-current={index === current ? "step" : undefined} className="min-w-0 flex-1">
            <span
              className={`block h-1.5 rounded-badge ${index <= current ? "forced-highlight bg-accent" : "bg-line"}`}
            />
            <span className={`sr-only sm:not-sr-only sm:mt-2.5 sm:block ${labelStyle(index, current)}`}>
              {step}
              {index < current ? <span className="sr-only"> ({words.done})</span> : null}
            </span>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function labelStyle(index: number, current: number): string {
  return index === current ? "font-semibold text-ink" : "text-ink-soft";
}

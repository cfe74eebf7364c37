import type { Findings } from "./check-history.ts";

const printedMax = 40;

/** A run's findings as table columns; all should be 0. */
export function countFindings(findings: Findings, endings: string[]) {
  const { lost, doubled, unbalanced, undelivered, falseFailures, wrongAnswers } = findings;
  return {
    lost: lost.length,
    doubled: doubled.length,
    unbalanced: unbalanced.length,
    undelivered: undelivered.length,
    "false failures": falseFailures.length,
    "wrong answers": wrongAnswers.length,
    "processes ended": endings.length,
  };
}

/** Prints the first forty findings; returns whether there are none. */
export function printFindings(findings: Findings, endings: string[], say: (sentence: string) => void): boolean {
  const all = [...Object.values(findings).flat(), ...endings];
  for (const sentence of all.slice(0, printedMax)) say(sentence);
  if (all.length > printedMax) say(`… and ${all.length - printedMax} more`);
  return all.length === 0;
}

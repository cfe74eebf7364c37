import type { Findings } from "./check-history.ts";

const toldMax = 40;

/** What a run found, as the columns that its table ends with: how much of each kind. All of them should be 0. */
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

/** Says each finding in its sentence, the first forty of them; returns whether there is none. */
export function printFindings(findings: Findings, endings: string[], say: (sentence: string) => void): boolean {
  const all = [...Object.values(findings).flat(), ...endings];
  for (const sentence of all.slice(0, toldMax)) say(sentence);
  if (all.length > toldMax) say(`… and ${all.length - toldMax} more`);
  return all.length === 0;
}

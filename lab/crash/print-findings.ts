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
export function printFindings(findings: Findings, endings: string[]): boolean {
  const all = [...Object.values(findings).flat(), ...endings];
  for (const sentence of all.slice(0, printedMax)) say(sentence);
  if (all.length > printedMax) say(`… and ${all.length - printedMax} more`);
  return all.length === 0;
}

/** Runs a drill's command: exit code 0 if the drill found nothing. An error is printed as its sentence. */
export async function runDrill(drill: () => Promise<boolean>): Promise<void> {
  try {
    process.exitCode = (await drill()) ? 0 : 1;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

export function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

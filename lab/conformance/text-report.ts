import type { ClauseResult, Report, Verdict } from "./run-suite.ts";

const marks: Record<Verdict, string> = {
  met: "met",
  "not met": "NOT MET",
  different: "different",
  "not reached": "not reached",
};
const saysCharactersMax = 90;

/** The text report: clauses by section with findings, and counts at the end. */
export function writeTextReport({ baseUrl, seconds, results }: Report): string {
  const published = results.filter(({ isPublished }) => isPublished);
  const decisions = results.filter(({ isPublished }) => !isPublished);
  return [
    `Conformance of ${baseUrl}`,
    "",
    "The published interface",
    ...sectionsOf(published),
    "",
    'Our decisions, where the interface says "not shown": another service may have decided otherwise',
    ...sectionsOf(decisions),
    "",
    `Published: ${count(published, "met")} met, ${count(published, "not met")} not met, ${count(published, "not reached")} not reached.`,
    `Decisions: ${count(decisions, "met")} as ours, ${count(decisions, "different")} different, ${count(decisions, "not reached")} not reached.`,
    `Took ${seconds.toFixed(1)} s.`,
    "",
  ].join("\n");
}

function sectionsOf(results: ClauseResult[]): string[] {
  const sections = Map.groupBy(results, ({ section }) => section);
  return [...sections].flatMap(([section, clauses]) => {
    const idCharacters = Math.max(...clauses.map(({ id }) => id.length));
    return ["", `  ${section}`, ...clauses.flatMap((clause) => linesOf(clause, idCharacters))];
  });
}

function linesOf({ id, says, isPublished, verdict, why, as, evidence }: ClauseResult, idCharacters: number): string[] {
  const plain = says.replace(/ ?\| ?$/, "").replaceAll(" | ", ", ");
  const text = plain.length > saysCharactersMax ? `${plain.slice(0, saysCharactersMax - 1)}…` : plain;
  const mark = isPublished || verdict !== "met" ? marks[verdict] : "as ours";
  const line = `    ${mark.padEnd(12)}${id.padEnd(idCharacters)}  ${text}`;
  if (verdict === "met") return [line];
  const found = as.length > 0 ? `see ${as.join(", ")}` : why;
  const { request, sent, answer } = evidence ?? {};
  const shown = verdict !== "not reached" && evidence ? [request, sent, `answer ${answer}`] : [];
  const below = [found, ...shown].filter((one) => one !== undefined && one !== "");
  return [line, ...below.map((one) => `                ${one}`)];
}

function count(results: ClauseResult[], verdict: Verdict): number {
  return results.filter((result) => result.verdict === verdict).length;
}

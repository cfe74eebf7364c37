import type { JobResult } from "./results.ts";
import { tableText } from "./table.ts";
import { missedGoals, rowOf } from "./words.ts";

const begin = "<!-- Written by `npm run bench`; do not edit. -->";
const end = "<!-- End of what `npm run bench` writes. -->";

/** Replaces the document's generated section. Throws if it has none. */
export function withResults(document: string, results: readonly JobResult[]): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error("docs/performance.md has no markers around its generated section.");
  return `${document.slice(0, from + begin.length)}\n\n${sectionOf(results)}\n\n${document.slice(to)}`;
}

function sectionOf(results: readonly JobResult[]): string {
  if (results.length === 0) return "Nothing has been measured yet: run `npm run bench`.";
  const comparisons = results.flatMap((result) => result.comparisons);
  const missed = missedGoals(comparisons);
  return [
    "![Our figures and the yardsticks](images/performance.svg)",
    tableText(comparisons.map(rowOf)),
    ...(missed.length > 0 ? ["Missed:", missed.map((sentence) => `- ${sentence}`).join("\n")] : []),
    "How each was measured:",
    runsTable(results),
    machinesOf(results),
  ].join("\n\n");
}

function runsTable(results: readonly JobResult[]): string {
  const lines = results.map(({ job, measuredAt, commit, options, loadBefore }) => {
    const { rounds, seconds, connections, scale, minutes } = options;
    const length = job === "soak" ? `${minutes} minutes` : `${rounds} × ${seconds} s`;
    const how = `${length}, ${connections} connections, scale ${scale}`;
    return `| ${job} | ${measuredAt.slice(0, 10)} | ${commit} | ${how} | ${loadBefore.toFixed(1)} |`;
  });
  return ["| job | day | commit | how | load average before |", "|---|---|---|---|---|", ...lines].join("\n");
}

function machinesOf(results: readonly JobResult[]): string {
  const sentences = results.map(({ machine }) => {
    const { cores, processor, memoryGb, system, node, postgres } = machine;
    return `${cores} cores (${processor}), ${memoryGb} GB, ${system}, Node ${node}, PostgreSQL ${postgres} with fsync on.`;
  });
  return `Machine: ${[...new Set(sentences)].join(" ")} It also runs the load generator, the receivers and PostgreSQL.`;
}

import type { CheckedRule, CheckReport } from "../lib/contract/sandbox-checks.ts";

const words: Record<string, string> = { kept: "kept", broken: "BROKEN", not_seen: "not seen" };

/** The exit code for a build: 1 when a rule is broken, and 0 when none is; advice breaks nothing. */
export function exitCodeOf({ summary }: CheckReport): 0 | 1 {
  return summary.broken > 0 ? 1 : 0;
}

/** The report as lines of text: what is broken first, and what to do about it. */
export function reportText(report: CheckReport): string {
  const broken = report.rules.filter(({ state }) => state === "broken");
  return [
    `${report.client_id}: ${summaryOf(report)}`,
    "",
    ...report.rules.map(({ id, title, state, is_advice }) => {
      return `${stateOf({ state, is_advice }).padEnd(9)} ${id.padEnd(32)} ${title}`;
    }),
    ...broken.flatMap((rule) => ["", `${rule.id}: ${rule.what_to_do}`, `  ${groundsOf(rule)}`]),
  ].join("\n");
}

/** The report as one page to print, which needs nothing from anywhere. */
export function reportPage(report: CheckReport): string {
  const rows = report.rules.map((rule) => {
    const { id, title, state, is_advice, what_to_do } = rule;
    const todo = state === "kept" ? "" : `<p>${asText(what_to_do)}</p>`;
    const cells = [
      `<td class="${asText(state)}">${asText(stateOf({ state, is_advice }))}</td>`,
      `<th scope="row">${asText(title)}<br><code>${asText(id)}</code></th>`,
      `<td>${todo}<p>${asText(groundsOf(rule))}</p></td>`,
    ];
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Checks of ${asText(report.client_id)}</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-top: 1px solid; padding: 0.5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { font-weight: 600; }
p { margin: 0 0 0.25rem; }
.broken { font-weight: 700; }
@media (max-width: 40rem) { thead { position: absolute; clip-path: inset(50%); } tr, td, th { display: block; } td, th { border: 0; } tr { border-top: 1px solid; } }
@media print { body { margin: 0; max-width: none; } tr { break-inside: avoid; } }
</style>
</head>
<body>
<main>
<h1>Checks of ${asText(report.client_id)}</h1>
<p>${asText(summaryOf(report))}</p>
<table>
<thead><tr><th scope="col">State</th><th scope="col">Rule</th><th scope="col">What to do, and why</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>
</main>
</body>
</html>
`;
}

function summaryOf({ summary, events, judged_at }: CheckReport): string {
  const { kept, broken, not_seen, advice_broken } = summary;
  return `${kept} kept, ${broken} broken, ${not_seen} not seen, ${advice_broken} times advice not taken; judged at ${judged_at} by ${events} events`;
}

function stateOf({ state, is_advice }: Pick<CheckedRule, "state" | "is_advice">): string {
  return state === "broken" && is_advice ? "advice" : (words[state] ?? state);
}

function groundsOf({ rests_on, clauses, evidence, drills }: CheckedRule): string {
  const parts = [
    `rests on ${rests_on === "interface" ? "the interface" : "our decisions"}: ${clauses.join(", ")}`,
    ...(evidence.length > 0 ? [`events: ${evidence.join(", ")}`] : []),
    `drills: ${drills.join(", ")}`,
  ];
  return parts.join("; ");
}

function asText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

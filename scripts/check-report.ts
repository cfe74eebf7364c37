import type { CheckedRule, CheckReport, DrillRecord } from "../lib/contract/sandbox-checks.ts";
import type { SandboxEvent } from "../lib/contract/sandbox-events.ts";

/** What fails a build, by rule id, and the events behind broken rules, by event id. */
export type Judged = { failures: ReadonlyMap<string, string>; evidence: ReadonlyMap<string, SandboxEvent> };

/** Throws if the sandbox lost its record, as in a restart or a restore: it would judge nothing, and nothing would be broken. */
export function requireEvent(after: string | undefined, { last_event }: CheckReport): void {
  if (Number(after ?? 0) <= Number(last_event ?? 0)) return;
  throw new Error(
    `The sandbox has no event ${after}; its newest is ${last_event ?? "none"}. It lost its record: repeat without \`after\`.`,
  );
}

/**
 * Which rules fail a build, and why: broken ones; with `isStrict` also those not seen; and those of `drills` that aren't kept.
 * Advice only fails as part of a drill.
 */
export function failuresIn(
  { rules }: CheckReport,
  { isStrict, drills }: { isStrict: boolean; drills: readonly Pick<DrillRecord, "id" | "expect">[] },
): Map<string, string> {
  return new Map(
    rules.flatMap(({ id, state, is_advice }): [string, string][] => {
      if (state === "kept") return [];
      const drill = drills.find(({ expect }) => expect.includes(id));
      const isRequired = drill !== undefined || (!is_advice && (isStrict || state === "broken"));
      if (!isRequired) return [];
      return [[id, state === "broken" ? "Broken" : drill ? `Not seen in the drill ${drill.id}` : "Not seen"]];
    }),
  );
}

const words: Record<string, string> = { kept: "kept", broken: "BROKEN", not_seen: "not seen" };

/** The report as text, then what to do about each broken or failing rule, with the requests that show it. */
export function reportText(report: CheckReport, { failures, evidence }: Judged): string {
  const listed = report.rules.filter(({ id, state }) => state === "broken" || failures.has(id));
  return [
    `${report.client_id}: ${summaryOf(report)}`,
    "",
    ...report.rules.map(({ id, title, state, is_advice }) => {
      return `${stateOf({ state, is_advice }).padEnd(9)} ${id.padEnd(32)} ${title}`;
    }),
    ...listed.flatMap((rule) => [
      "",
      `${rule.id}: ${rule.state === "broken" ? rule.what_to_do : `${failures.get(rule.id)}.`}`,
      `  ${groundsOf(rule)}`,
      ...proofOf(rule, evidence).map((event) => `  ${describeEvent(event)}`),
    ]),
  ].join("\n");
}

/** The known events that show a broken rule. */
export function proofOf({ state, evidence: ids }: CheckedRule, evidence: Judged["evidence"]): SandboxEvent[] {
  return state === "broken" ? ids.flatMap((id) => evidence.get(id) ?? []) : [];
}

/** One event in one line: time, request and outcome. */
export function describeEvent(event: SandboxEvent): string {
  return `${event.at} event ${event.id}: ${outcomeOf(event)}`;
}

function outcomeOf(event: SandboxEvent): string {
  switch (event.kind) {
    case "call":
      return [event.method, event.path, event.status ?? "no answer", event.reason ?? ""].join(" ").trimEnd();
    case "control":
      return `${event.method} ${event.path} ${event.status ?? "no answer"}`;
    case "visit":
      return `a visit was ${event.step.replaceAll("_", " ")}`;
    case "customer":
      return `GET of your customer endpoint: ${event.status ?? "no answer"}`;
    case "delivery":
      return `webhook ${event.webhook_type} ${event.webhook_id}: ${event.status ?? "no answer"}`;
  }
}

/** The report as one self-contained page to print, with broken rules first. */
export function reportPage(report: CheckReport): string {
  const { client_id, judged_at, events, rules, summary } = report;
  const groups = sections.map(({ title, holds, list }) => {
    const held = rules.filter(holds);
    if (held.length === 0) return "";
    const id = title.toLowerCase().replaceAll(" ", "-");
    return `<section aria-labelledby="${id}"><h2 id="${id}">${title} <small>${held.length}</small></h2>
${list(held)}
</section>`;
  });
  const counts = [
    countItem("Kept", summary.kept, "kept"),
    countItem("Broken", summary.broken, "broken"),
    countItem("Advice not taken", summary.advice_broken, "advice"),
    countItem("Not seen", summary.not_seen),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Checks of ${asText(client_id)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Checks of <span>${asText(client_id)}</span></h1>
<p class="verdict ${summary.broken > 0 ? "broken" : "kept"}">${verdictOf(report)}</p>
<dl>${counts.join("")}</dl>
<p class="by">Judged at <time datetime="${asText(judged_at)}">${asText(timeOf(judged_at))}</time> by ${events} events that the service saw.</p>
${groups.join("\n")}
</main>
</body>
</html>
`;
}

// A count of zero isn't highlighted.
function countItem(label: string, count: number, name = ""): string {
  return `<div class="${count > 0 ? name : ""}"><dt>${label}</dt><dd>${count}</dd></div>`;
}

type Section = { title: string; holds: (rule: CheckedRule) => boolean; list: (rules: CheckedRule[]) => string };

const sections: Section[] = [
  { title: "Broken", holds: ({ state, is_advice }) => state === "broken" && !is_advice, list: listEach },
  {
    title: "Advice not taken",
    holds: ({ state, is_advice }) => state === "broken" && is_advice,
    list: listEach,
  },
  { title: "Not seen", holds: ({ state }) => state === "not_seen", list: listUnseen },
  { title: "Kept", holds: ({ state }) => state === "kept", list: listKept },
];

function listEach(rules: CheckedRule[]): string {
  const articles = rules.map(({ id, title, what_to_do, evidence, drills, ...rule }) => {
    return `<article><h3>${asText(title)}</h3>
<p>${asText(what_to_do)}</p>
<p class="by"><code>${asText(id)}</code> is based on ${asText(restsOn(rule))}. Seen in: ${codes(evidence)}. Drills: ${codes(drills)}.</p>
</article>`;
  });
  return articles.join("\n");
}

function listUnseen(rules: CheckedRule[]): string {
  return `<p>No event has shown these yet. Run the drills listed with them.</p>\n${table("Drills", rules, ({ drills }) => drills)}`;
}

function listKept(rules: CheckedRule[]): string {
  return table("Seen in", rules, ({ evidence }) => evidence);
}

/** `namesOf`: a rule's entries for the third column. On a narrow screen each cell shows the name of its column. */
function table(third: string, rules: CheckedRule[], namesOf: (rule: CheckedRule) => string[]): string {
  const rows = rules.map((rule) => {
    const name = `<th scope="row">${asText(rule.title)}<br><code>${asText(rule.id)}</code></th>`;
    const grounds = `<td data-column="Based on: ">${asText(restsOn(rule))}</td>`;
    return `<tr>${name}${grounds}<td data-column="${third}: ">${codes(namesOf(rule))}</td></tr>`;
  });
  return `<table><thead><tr><th scope="col">Rule</th><th scope="col">Based on</th><th scope="col">${third}</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table>`;
}

// A few of a rule's events are enough to look it up.
const shownMax = 5;

function codes(names: string[]): string {
  const shown = names.slice(0, shownMax).map((name) => `<code>${asText(name)}</code>`);
  const more = names.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function verdictOf({ summary: { broken, not_seen } }: CheckReport): string {
  if (broken > 0) return broken === 1 ? "One rule is broken." : `${broken} rules are broken.`;
  return not_seen > 0 ? "No rule is broken. Some have not been seen yet." : "Every rule is kept.";
}

function timeOf(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

// Colors only repeat what the words say, and print doesn't need backgrounds.
const style = `
:root { color-scheme: light dark; --ink: light-dark(#1c1b19, #f2efe9); --soft: light-dark(#55524c, #b9b4aa); --line: light-dark(#d8d3c8, #45423c);
  --ground: light-dark(#fff, #191816); --broken: light-dark(#a11212, #ff9a8f); --kept: light-dark(#17652f, #7ed69a); --advice: light-dark(#7a4b00, #f0c26b); }
* { box-sizing: border-box; }
body { font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 0 auto; max-width: 64rem; padding: 2rem 1rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.25rem; margin: 3rem 0 0.75rem; padding-bottom: 0.25rem; border-bottom: 2px solid; break-after: avoid; }
h2 small { font-weight: 400; color: var(--soft); }
h3 { font-size: 1rem; margin: 0 0 0.25rem; }
p { margin: 0 0 0.5rem; max-width: 44rem; }
code { font: 0.875em/1.4 ui-monospace, monospace; }
.verdict { font-size: 1.25rem; font-weight: 600; margin: 0.5rem 0 1.5rem; }
.by { font-size: 0.875rem; color: var(--soft); }
dl { display: grid; grid-template-columns: repeat(4, 1fr); gap: 0.5rem 1.5rem; margin: 0 0 1rem; max-width: 36rem; }
dt { font-size: 0.875rem; color: var(--soft); }
dd { margin: 0; font-size: 1.75rem; line-height: 1.2; font-weight: 600; font-variant-numeric: tabular-nums; }
.broken:not(div), .broken dd { color: var(--broken); }
.kept:not(div), .kept dd { color: var(--kept); }
.advice dd { color: var(--advice); }
article { margin: 0 0 1.5rem; padding-left: 1rem; border-left: 4px solid var(--broken); break-inside: avoid; }
[aria-labelledby="advice-not-taken"] article { border-color: var(--advice); }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th, td { border-top: 1px solid var(--line); padding: 0.5rem 1rem 0.5rem 0; text-align: left; vertical-align: top; font-weight: 400; }
thead th { border: 0; font-size: 0.875rem; color: var(--soft); }
th code { color: var(--soft); }
th:first-child { width: 46%; }
td { font-size: 0.875rem; }
@media (max-width: 40rem) {
  dl { grid-template-columns: repeat(2, 1fr); }
  thead { position: absolute; clip-path: inset(50%); }
  tr, td, th { display: block; }
  th:first-child { width: auto; padding-bottom: 0; }
  td, th { border: 0; padding: 0.125rem 0; }
  td::before { content: attr(data-column); color: var(--soft); }
  tr { border-top: 1px solid var(--line); padding: 0.5rem 0; }
}
@page { margin: 16mm 14mm; }
@media print {
  :root { color-scheme: light; font-size: 10pt; }
  body { margin: 0; max-width: none; padding: 0; }
  h2 { margin-top: 1.5rem; }
  tr { break-inside: avoid; }
  thead { display: table-header-group; }
}
`;

function summaryOf({ summary, events, judged_at }: CheckReport): string {
  const { kept, broken, not_seen, advice_broken } = summary;
  return `${kept} kept, ${broken} broken, ${not_seen} not seen, advice not taken: ${advice_broken}; judged at ${judged_at} by ${events} events`;
}

function stateOf({ state, is_advice }: Pick<CheckedRule, "state" | "is_advice">): string {
  return state === "broken" && is_advice ? "advice" : (words[state] ?? state);
}

function restsOn({ rests_on, clauses }: Pick<CheckedRule, "rests_on" | "clauses">): string {
  return `${rests_on === "interface" ? "the interface" : "the decisions"}: ${clauses.join(", ")}`;
}

function groundsOf({ evidence, drills, ...rule }: CheckedRule): string {
  const parts = [
    `based on ${restsOn(rule)}`,
    ...(evidence.length > 0 ? [`events: ${evidence.join(", ")}`] : []),
    `drills: ${drills.join(", ")}`,
  ];
  return parts.join("; ");
}

export function asText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

import { allRules } from "../../lib/service/sandbox/checks/all-rules.ts";
import type { Rule } from "../../lib/service/sandbox/checks/rule.ts";
import { allDrills } from "../../lib/service/sandbox/drills/all-drills.ts";
import type { Drill } from "../../lib/service/sandbox/drills/drill.ts";

/** docs/checks.md, generated from the rules and drills. */
export function writeChecksPage(): string {
  return `# Checks and drills

A sandbox judges whether any client's integration is right, in any language, by what the service saw of it. Point your app at it, use it, and read the report:

\`\`\`sh
npm run checks -- --base-url http://127.0.0.1:4000 --client-id demo-harbor --client-secret demo-client-secret-of-harbor --html report.html
\`\`\`

It exits with 0 when no rule is broken, with 1 when one is, and with 2 when its options were wrong or it got no report. \`--json file\` writes the answer of \`GET /sandbox/checks\`, \`--html file\` a page to print. \`--after\` judges only what followed an event (\`last_event\` of an earlier report), with what came before still known.

For a rule that is *not seen*, take its drill. A drill is passed when the report since its beginning shows each of its rules as kept and none as broken; \`GET /sandbox/drills\` has its rules and calls. Another service may decide otherwise what rests on decisions alone ([decisions](spec/decisions.md), D21). How rules judge: [0011](decisions/0011-sandbox-record-and-console.md).

## ${allRules.length} rules

| rule | says | rests on | drills |
|---|---|---|---|
${allRules.map(ruleRow).join("\n")}

## ${allDrills.length} drills

| drill | what will be broken | what a good client does |
|---|---|---|
${allDrills.map(drillRow).join("\n")}

Written by \`npm run checks:page\` from \`lib/service/domain\`; a test fails when it is stale.
`;
}

function ruleRow({ id, title, isAdvice, clauses }: Rule): string {
  const isPublished = clauses.some((clause) => clause.startsWith("I."));
  const rests = `${isPublished ? "the interface" : "decisions"}: ${clauses.join(", ")}`;
  const drills = allDrills.filter((drill) => drill.expect.includes(id)).map((drill) => drill.id);
  return row([`\`${id}\``, `${title}${isAdvice ? " (advice)" : ""}`, rests, drills.join(", ")]);
}

function drillRow({ id, title, broken, goodClient }: Drill): string {
  return row([`\`${id}\`: ${title}`, broken, goodClient]);
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

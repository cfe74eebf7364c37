import { allRules } from "../../lib/service/sandbox/checks/all-rules.ts";
import type { Rule } from "../../lib/service/sandbox/checks/rule.ts";
import { allDrills } from "../../lib/service/sandbox/drills/all-drills.ts";
import type { Drill } from "../../lib/service/sandbox/drills/drill.ts";

/** The page docs/checks.md, made of the definitions of the rules and drills. */
export function writeChecksPage(): string {
  return `# Checks and drills

A sandbox tells any client, in any language, whether its integration is right: by what the service saw of it, and without asking it anything. Point your app at it, use it, and read the report:

\`\`\`sh
npm run checks -- --base-url http://127.0.0.1:4000 --client-id demo-harbor --client-secret demo-client-secret-of-harbor --html report.html
\`\`\`

It exits with 0 when no rule is broken, with 1 when one is, and with 2 when it was asked wrongly or got no report. \`--json file\` writes the report as \`GET /sandbox/checks\` answers it, \`--html file\` a page to print, and \`--after\` judges only what followed an event (\`last_event\` of an earlier report), with what came before still known.

A rule that nothing has shown yet is *not seen*: take its drill. A drill is passed when the report since its beginning shows each of its rules as kept and none as broken; \`GET /sandbox/drills\` has them with every call. What rests on decisions alone another service may decide otherwise ([decisions](spec/decisions.md), D21). Why the rules judge as they do: [0011](decisions/0011-sandbox-record-and-console.md).

## ${allRules.length} rules

| rule | says | rests on | drills |
|---|---|---|---|
${allRules.map(ruleRow).join("\n")}

## ${allDrills.length} drills

| drill | what will be broken | what a good client does | rules |
|---|---|---|---|
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

function drillRow({ id, title, broken, goodClient, expect }: Drill): string {
  return row([`\`${id}\`: ${title}`, broken, goodClient, expect.join(", ")]);
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

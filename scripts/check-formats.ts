import type { CheckedRule, CheckReport } from "../lib/contract/sandbox-checks.ts";
import type { SandboxEvent } from "../lib/contract/sandbox-events.ts";
import { asText, describeEvent, type Judged, proofOf } from "./check-report.ts";

/** JUnit XML: one test case per rule. A rule that wasn't seen or is only advice is skipped, unless it fails the build. */
export function junitReport({ client_id, judged_at, rules }: CheckReport, { failures, evidence }: Judged): string {
  const cases = rules.map((rule) => {
    const failure = failures.get(rule.id);
    const proof = proofOf(rule, evidence).map(describeEvent).join("\n");
    const inside = failure
      ? `<failure message="${asText(failure)}">${asText([rule.what_to_do, proof].join("\n"))}</failure>`
      : rule.state === "kept"
        ? ""
        : `<skipped message="${rule.state === "broken" ? asText(`Advice: ${rule.what_to_do}`) : "Not seen"}"/>`;
    return `    <testcase classname="plainbook.checks" name="${asText(`${rule.id}: ${rule.title}`)}">${inside}</testcase>`;
  });
  const skipped = rules.filter(({ id, state }) => state !== "kept" && !failures.has(id)).length;
  const counts = `tests="${rules.length}" failures="${failures.size}" skipped="${skipped}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="plainbook checks" ${counts}>
  <testsuite name="${asText(client_id)}" timestamp="${asText(judged_at)}" ${counts}>
${cases.join("\n")}
  </testsuite>
</testsuites>
`;
}

/** SARIF 2.1.0: one result per broken rule, located at the requests that show it. */
export function sarifReport({ rules }: CheckReport, { evidence }: Pick<Judged, "evidence">): string {
  const broken = rules.filter(({ state }) => state === "broken");
  return `${JSON.stringify(
    {
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [
        {
          tool: { driver: { name: "plainbook checks", rules: rules.map(describeRule) } },
          results: broken.map((rule) => ({
            ruleId: rule.id,
            level: rule.is_advice ? "note" : "error",
            message: { text: [rule.what_to_do, ...proofOf(rule, evidence).map(describeEvent)].join("\n") },
            locations: proofOf(rule, evidence).map(locate),
          })),
        },
      ],
    },
    null,
    2,
  )}\n`;
}

function describeRule({ id, title, what_to_do, clauses }: CheckedRule) {
  return { id, shortDescription: { text: title }, help: { text: what_to_do }, properties: { tags: clauses } };
}

function locate(event: SandboxEvent) {
  const name = event.kind === "call" || event.kind === "control" ? `${event.method} ${event.path}` : event.kind;
  return { logicalLocations: [{ fullyQualifiedName: name, kind: "resource" }] };
}

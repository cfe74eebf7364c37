// `npm run checks` and `npx plainbook checks`: a sandbox's report on an integration, as text and optionally in other formats.
// Decision D21
import { writeFileSync } from "node:fs";
import { type CheckReport, checkReport, drillList } from "../lib/contract/sandbox-checks.ts";
import { eventPage, type SandboxEvent } from "../lib/contract/sandbox-events.ts";
import { junitReport, sarifReport } from "./check-formats.ts";
import { failuresIn, reportPage, reportText, requireEvent } from "./check-report.ts";
import { type CallSandbox, giveUp, readOptions } from "./sandbox-caller.ts";

const usage = `checks --base-url http://127.0.0.1:4000 --client-id … --client-secret …
  --after EVENT          count only events after this one (last_event of an earlier report)
  --strict               also fail for rules that weren't seen
  --require-drill NAME   fail unless this drill's rules are kept; may be repeated
  --json FILE  --html FILE  --junit FILE  --sarif FILE`;

const text = { type: "string" } as const;
const { values, positionals, callSandbox } = readOptions(
  {
    after: text,
    strict: { type: "boolean", default: false },
    "require-drill": { type: "string", multiple: true, default: [] },
    json: text,
    html: text,
    junit: text,
    sarif: text,
  },
  usage,
);
if (positionals.length > 0) giveUp(usage);
// As from an unset variable of a build.
const nameless = (["json", "html", "junit", "sarif"] as const).find((name) => values[name] === "");
if (nameless) giveUp(`--${nameless} needs a file.\n${usage}`);

try {
  const { after, json, html, junit, sarif } = values;
  const report = await readReport(after === undefined ? "" : `?${new URLSearchParams({ after })}`);
  requireEvent(after, report);
  const failures = failuresIn(report, { isStrict: values.strict, drills: await findDrills(values["require-drill"]) });
  const evidence = await readEvidence(report, callSandbox);
  console.log(reportText(report, { failures, evidence }));
  if (json) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  if (html) writeFileSync(html, reportPage(report));
  if (junit) writeFileSync(junit, junitReport(report, { failures, evidence }));
  if (sarif) writeFileSync(sarif, sarifReport(report, { evidence }));
  process.exitCode = failures.size > 0 ? 1 : 0;
} catch (error) {
  giveUp(error instanceof Error ? error.message : String(error));
}

async function readReport(query: string): Promise<CheckReport> {
  const report = checkReport.safeParse(await callSandbox("GET", `/sandbox/checks${query}`));
  if (!report.success) throw new Error("The answer isn't a report.");
  return report.data;
}

async function findDrills(names: string[]) {
  if (names.length === 0) return [];
  const { drills } = drillList.parse(await callSandbox("GET", "/sandbox/drills"));
  return names.map((name) => drills.find(({ id }) => id === name) ?? giveUp(`There is no drill ${name}.`));
}

/** The first events that show each broken rule. The report counts without those that can't be read. */
async function readEvidence({ rules }: CheckReport, call: CallSandbox): Promise<Map<string, SandboxEvent>> {
  const ids = new Set(rules.filter(({ state }) => state === "broken").flatMap(({ evidence }) => evidence.slice(0, 5)));
  const events = new Map<string, SandboxEvent>();
  for (const id of ids) {
    const answer = await call("GET", `/sandbox/events?after=${Number(id) - 1}&limit=1`).catch(() => undefined);
    const page = eventPage.safeParse(answer);
    // The event may have been deleted since the report.
    const event = page.data?.events[0];
    if (event?.id === id) events.set(id, event);
  }
  return events;
}

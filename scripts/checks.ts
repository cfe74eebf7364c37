// `npm run checks -- --base-url … --client-id … --client-secret …`: what a sandbox says of an integration, as text, and as
// JSON and a page to print where asked. Decision D21
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { checkReport } from "../lib/contract/sandbox-checks.ts";
import { basicCredentials } from "../lib/kit/testing/basic-credentials.ts";
import { exitCodeOf, reportPage, reportText } from "./check-report.ts";

const usage =
  "npm run checks -- --base-url http://127.0.0.1:4000 --client-id … --client-secret … [--after event] [--json file] [--html file]";

/** 2: asked wrongly, or no report came. */
function giveUp(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

const { values } = await readOptions();
const { "base-url": baseUrl, "client-id": clientId, "client-secret": clientSecret, after, json, html } = values;
if (!baseUrl || !clientId || !clientSecret) giveUp(usage);
const query = after === undefined ? "" : `?${new URLSearchParams({ after })}`;
const answer = await fetch(`${baseUrl.replace(/\/$/, "")}/sandbox/checks${query}`, {
  headers: { authorization: basicCredentials(clientId, clientSecret), accept: "application/json" },
  signal: AbortSignal.timeout(60_000),
}).catch((error: unknown) => giveUp(`${baseUrl} does not answer: ${error instanceof Error ? error.message : error}`));
if (!answer.ok) giveUp(`${baseUrl} answers ${answer.status}: ${(await answer.text()).slice(0, 500)}`);
const report = checkReport.safeParse(await answer.json().catch(() => undefined));
if (!report.success) giveUp(`${baseUrl} answers with no report.`);
console.log(reportText(report.data));
if (json) writeFileSync(json, `${JSON.stringify(report.data, null, 2)}\n`);
if (html) writeFileSync(html, reportPage(report.data));
process.exitCode = exitCodeOf(report.data);

async function readOptions() {
  const text = { type: "string" } as const;
  const options = {
    "base-url": text,
    "client-id": text,
    "client-secret": text,
    after: text,
    json: text,
    html: text,
  };
  try {
    return parseArgs({ options });
  } catch {
    return giveUp(usage);
  }
}

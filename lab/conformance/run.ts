import { writeFileSync } from "node:fs";
import { NotReached } from "./findings.ts";
import { readOptions, usage } from "./options.ts";
import { isConformant, runSuite } from "./run-suite.ts";
import { writeTextReport } from "./text-report.ts";
import { createSend } from "./world/http.ts";

// `npm run conformance -- --base-url … --client-id … --client-secret …`: does that service speak the published interface?
// Ends with 0 when every published clause that was reached is met, with 1 otherwise, with 2 when nothing could be asked.

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const { settings, jsonFile } = readOptions(process.argv.slice(2));
    await createSend(settings.baseUrl, () => undefined)({ method: "GET", to: "/v1/user" });
    const report = await runSuite(settings);
    if (jsonFile) writeFileSync(jsonFile, `${JSON.stringify(report, null, 2)}\n`);
    process.stdout.write(writeTextReport(report));
    return isConformant(report) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isSilent = error instanceof NotReached;
    process.stderr.write(isSilent ? `${error.message}\n` : `${error.message}\n\n${usage}\n`);
    return 2;
  }
}

import { writeFileSync } from "node:fs";
import { NotReached } from "./findings.ts";
import { readOptions, usage } from "./options.ts";
import { hasMet, isConformant, runSuite } from "./run-suite.ts";
import { writeTextReport } from "./text-report.ts";
import { createSend } from "./world/http.ts";

// `npm run conformance -- --base-url … --client-id … --client-secret …` tests a service against the published interface. Exits
// with 0 if every reached published clause is met, with 1 otherwise, and with 2 if nothing was met or could be tested.

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const { settings, jsonFile } = readOptions(process.argv.slice(2));
    await createSend(settings.baseUrl, () => undefined)({ method: "GET", to: "/v1/user" });
    const report = await runSuite(settings);
    process.stdout.write(writeTextReport(report));
    if (jsonFile) writeFileSync(jsonFile, `${JSON.stringify(report, null, 2)}\n`);
    if (!isConformant(report)) return 1;
    if (hasMet(report)) return 0;
    process.stderr.write("No published clause was met, so this run proves nothing: see each reason above.\n");
    return 2;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isSilent = error instanceof NotReached;
    process.stderr.write(isSilent ? `${error.message}\n` : `${error.message}\n\n${usage}\n`);
    return 2;
  }
}

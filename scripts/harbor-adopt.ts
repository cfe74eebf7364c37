import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { parseArgs } from "node:util";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { dataFolderOf, joinHarborDatabase } from "./embedded-databases.ts";
import { endWithUsage } from "./exit.ts";
import { requireSameService } from "./one-service.ts";

// `npm run harbor:adopt [-- --days 90 | --without-list]`: adds payments from the service's list that Harbor's database doesn't
// know, or goes on without the list. Exits with 1 if the lists couldn't be compared. See docs/operations.md.

const { days, isWithoutList } = readOptions();
try {
  if (existsSync(".env")) loadEnvFile(".env");
  if (!process.env["PARTNER_DATABASE_URL"]) {
    await joinHarborDatabase();
    const { partnerConfig } = await import("../lib/partner/config.ts");
    requireSameService(dataFolderOf("harbor"), partnerConfig().serviceBaseUrl);
  }
  process.exitCode = (await adopt(days, isWithoutList)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exitCode = 1;
}

function readOptions(): { days: number; isWithoutList: boolean } {
  const usage = "npm run harbor:adopt [-- --days 90 | --without-list]";
  try {
    const { values } = parseArgs({
      options: { days: { type: "string", default: "30" }, "without-list": { type: "boolean", default: false } },
    });
    const days = Number(values.days);
    return Number.isInteger(days) && days > 0 ? { days, isWithoutList: values["without-list"] } : endWithUsage(usage);
  } catch {
    return endWithUsage(usage);
  }
}

async function adopt(days: number, isWithoutList: boolean): Promise<boolean> {
  const { compareRoutines } = await import("../lib/partner/routines/compare-routines.ts");
  const { partner } = await import("../lib/partner/process-partner.ts");
  const { storeComparison, readComparison } = await import("../lib/partner/storage/routine-comparison.ts");
  try {
    if (isWithoutList) {
      await storeComparison(partner().db, {
        ...(await readComparison(partner().db)),
        isPartial: true,
        isCovering: false,
      });
      say("Payments continue without a comparison. Check which ones the service has.");
      return true;
    }
    const compared = await compareRoutines(partner(), { days });
    if (compared.kind === "reauthorization_required") say("The business isn't connected. Connect it first.");
    else if (compared.kind === "failed")
      say("The service's payments couldn't all be read. New payments wait until they can be.");
    else {
      say(`Adopted ${compared.found} payments. The service lacks ${compared.missing} of ours.`);
      if (compared.isPartial) say("The service's list couldn't be compared completely, so there may be more.");
    }
    return compared.kind === "compared";
  } finally {
    await partner().pool.end();
  }
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

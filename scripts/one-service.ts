import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDataFolder } from "./embedded-postgres.ts";

/**
 * Records at the first call which service the data in `folder` belongs to. Throws a one-sentence error if it's another one:
 * Harbor would send it the first one's tokens, ids and people.
 */
export function requireSameService(folder: string, serviceUrl: string): void {
  const marker = join(folder, "service");
  if (!existsSync(marker)) {
    makeDataFolder(folder);
    writeFileSync(marker, serviceUrl, { mode: 0o600 });
    return;
  }
  const known = readFileSync(marker, "utf8");
  if (known === serviceUrl) return;
  throw new Error(
    `The data in ${folder} is from the service at ${known}, but PARTNER_SERVICE_BASE_URL is now ${serviceUrl}: ` +
      "delete that folder to start over, or set DATA_FOLDER to another one.",
  );
}

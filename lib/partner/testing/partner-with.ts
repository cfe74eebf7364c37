import { readPartnerConfig } from "../config.ts";
import { createInspector } from "../inspector/create-inspector.ts";
import type { Partner } from "../partner.ts";
import { openPartner, setPartner } from "../process-partner.ts";
import { type Database, openDatabase } from "../storage/database.ts";

// One for all the partners of a test file, which would otherwise leave their pools open.
const databases = new Map<string, Database>();

/** Makes Harbor under other settings than the environment's the partner of this process, with the sandbox's inspector. */
export function partnerWith(settings: Record<string, string> = {}): Partner {
  const config = readPartnerConfig({ ...process.env, ...settings });
  const database = databases.get(config.databaseUrl) ?? openDatabase(config);
  databases.set(config.databaseUrl, database);
  return setPartner(openPartner(config, { observeWith: createInspector, database }));
}

import { readPartnerConfig } from "../config.ts";
import { createInspector } from "../inspector/create-inspector.ts";
import type { Partner } from "../partner.ts";
import { openPartner, setPartner } from "../process-partner.ts";
import { type Database, openDatabase } from "../storage/database.ts";

// Shared by all partners of a test file, which would otherwise leave their pools open.
const databases = new Map<string, Database>();

/** Creates Harbor with changed settings and the sandbox's inspector, and makes it this process's partner. */
export function partnerWith(settings: Record<string, string> = {}): Partner {
  const config = readPartnerConfig({ ...process.env, ...settings });
  const database = databases.get(config.databaseUrl) ?? openDatabase(config);
  databases.set(config.databaseUrl, database);
  return setPartner(openPartner(config, { observeWith: createInspector, database }));
}

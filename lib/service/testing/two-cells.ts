import { migrateDatabase } from "../../kit/migrate-database.ts";
import { schemaOf } from "../cells.ts";
import { serviceConfig } from "../config.ts";
import { migrationsFolder } from "../storage/database.ts";

/** Call it before the settings are read. */
export async function useTwoCells(): Promise<void> {
  process.env["SERVICE_CELLS"] = "2";
  await migrateDatabase(serviceConfig().databaseDirectUrl, migrationsFolder, { schema: schemaOf(2) });
}

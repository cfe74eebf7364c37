import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const real = "lib/service/storage/migrations";

/**
 * A change in the three phases of docs/operations.md, compatible with running processes: a new column (expand), filled
 * and required with an index (migrate), then dropped (contract).
 */
export const sampleMigrations: Record<string, string> = {
  "9001_expand-label": `ALTER TABLE "routines" ADD COLUMN "label" text;
--> statement-breakpoint
CREATE FUNCTION copy_routine_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.label := coalesce(new.label, new.name);
  RETURN new;
END $$;
--> statement-breakpoint
CREATE TRIGGER copy_name BEFORE INSERT ON routines FOR EACH ROW EXECUTE FUNCTION copy_routine_name();
`,
  "9002_fill-label": `-- in steps: beside the load
ALTER TABLE "routines" ADD CONSTRAINT "routines_label_set" CHECK ("label" IS NOT NULL) NOT VALID;
--> statement-breakpoint
-- in batches of 500 by routines.id
UPDATE "routines" SET "label" = "name" WHERE "id" = ANY($1) AND "label" IS NULL;
--> statement-breakpoint
ALTER TABLE "routines" VALIDATE CONSTRAINT "routines_label_set";
--> statement-breakpoint
ALTER TABLE "routines" ALTER COLUMN "label" SET NOT NULL;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "routines_by_label" ON "routines" USING btree ("client_id","label");
`,
  "9003_contract-index": `-- contract: nothing reads routines_by_label since record 0017
-- in steps: its index first
DROP INDEX CONCURRENTLY IF EXISTS "routines_by_label";
`,
  // In one migration, because without the trigger nothing fills the still required column.
  "9004_contract-label": `-- contract: nothing reads routines.label since record 0017
DROP TRIGGER "copy_name" ON "routines";
--> statement-breakpoint
DROP FUNCTION "copy_routine_name";
--> statement-breakpoint
ALTER TABLE "routines" DROP COLUMN "label";
`,
};

/** A migrations folder with the service's own and these. The caller deletes it. */
export function writeMigrations(added: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "gangway-migrations-"));
  cpSync(real, folder, { recursive: true });
  const journal = JSON.parse(readFileSync(join(folder, "meta/_journal.json"), "utf8"));
  const newest = Math.max(...journal.entries.map(({ when }: { when: number }) => when));
  for (const [index, [tag, text]] of Object.entries(added).entries()) {
    writeFileSync(join(folder, `${tag}.sql`), text);
    journal.entries.push({
      idx: journal.entries.length,
      version: "7",
      when: newest + 1 + index,
      tag,
      breakpoints: true,
    });
  }
  writeFileSync(join(folder, "meta/_journal.json"), JSON.stringify(journal));
  return folder;
}

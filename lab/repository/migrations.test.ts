import { globSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { type Migration, readMigration, readMigrations } from "../../lib/kit/migrations.ts";
import { sampleMigrations } from "../../lib/service/testing/sample-migrations.ts";
import { type Finding, findBlockingDdl, problems } from "./blocking-ddl.ts";

// No migration after the baseline blocks or breaks processes of the previous version
// (docs/decisions/0017-databases-in-production.md).
const baseline = "0000_baseline";

const records = new Set(globSync("docs/decisions/*.md").map((file) => basename(file).slice(0, 4)));

test.each(["service", "partner"] as const)(
  "no migration of the %s app blocks or breaks the previous version",
  async (app) => {
    const migrations = readMigrations(`lib/${app}/storage/migrations`);
    expect(migrations[0]?.name).toBe(baseline);
    const isExamined = (name: string) => name !== baseline;
    expect((await findBlockingDdl(migrations, { isExamined, records })).map(sentenceOf)).toEqual([]);
  },
);

test.each(["service", "partner"])(
  "the %s app's migrations are ordered by creation time, which identifies them in a database",
  (app) => {
    const times = readMigrations(`lib/${app}/storage/migrations`).map(({ madeAt }) => madeAt);
    expect(times).toEqual([...new Set(times)].sort((left, right) => left - right));
  },
);

const planted: Record<keyof typeof problems, string[]> = {
  unreadable: ["ALTER TABLE transfers ADD COLUM a text"],
  "unknown-statement": [
    "LOCK TABLE transfers",
    "TRUNCATE transfers",
    "DO $$ BEGIN UPDATE transfers SET status = 'failed'; END $$",
    "VACUUM FULL transfers",
    "CREATE TABLE a PARTITION OF transfers FOR VALUES IN (1)",
    "CREATE TABLE a AS SELECT * FROM transfers",
    "REINDEX TABLE transfers",
    "CLUSTER transfers",
    "MERGE INTO transfers USING a ON true WHEN MATCHED THEN DELETE",
    "WITH a AS (DELETE FROM transfers RETURNING id) SELECT FROM a",
    "COMMIT",
    "ALTER INDEX transfers_due SET TABLESPACE other",
  ],
  "unknown-alteration": [
    "ALTER TABLE transfers SET UNLOGGED",
    "ALTER TABLE transfers DISABLE TRIGGER ALL",
    "ALTER TABLE transfers ADD COLUMN a text, ALTER COLUMN b ADD GENERATED ALWAYS AS IDENTITY",
  ],
  "index-locks": [
    "CREATE INDEX a ON transfers (id)",
    "CREATE UNIQUE INDEX a ON transfers (id)",
    "-- contract: nothing reads a since record 0017\nDROP INDEX a",
  ],
  "index-not-repeatable": [
    "-- in steps: so\nCREATE INDEX CONCURRENTLY ON transfers (id)",
    "-- in steps: so\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a ON transfers (id)",
    "-- in steps: so\n-- contract: nothing reads a since record 0017\nDROP INDEX CONCURRENTLY a",
  ],
  "needs-steps": [
    "CREATE INDEX CONCURRENTLY a ON transfers (id)",
    "-- contract: nothing reads a since record 0017\nDROP INDEX CONCURRENTLY IF EXISTS a",
    "ALTER TABLE transfers VALIDATE CONSTRAINT a",
    "-- in batches of 100 by transfers.id\nUPDATE transfers SET status = 'failed' WHERE id = ANY($1)",
    "INSERT INTO transfers SELECT * FROM other",
  ],
  "one-statement-a-step": ["-- in steps: so\nALTER TABLE a ADD COLUMN b text; ALTER TABLE c ADD COLUMN d text"],
  "column-required": ["ALTER TABLE transfers ADD COLUMN a text NOT NULL"],
  "column-rewrites": [
    "ALTER TABLE transfers ADD COLUMN a uuid DEFAULT gen_random_uuid() NOT NULL",
    "ALTER TABLE transfers ADD COLUMN a timestamptz DEFAULT clock_timestamp()",
    "ALTER TABLE transfers ADD COLUMN a bigserial",
    "ALTER TABLE transfers ADD COLUMN a bigint GENERATED ALWAYS AS IDENTITY",
    "ALTER TABLE transfers ADD COLUMN a bigint GENERATED ALWAYS AS (amount_cents * 2) STORED",
  ],
  "column-checked": [
    "ALTER TABLE transfers ADD COLUMN a uuid REFERENCES users (id)",
    "ALTER TABLE transfers ADD COLUMN a int CHECK (a > 0)",
    "ALTER TABLE transfers ADD COLUMN a int UNIQUE",
  ],
  "column-type": ["ALTER TABLE transfers ALTER COLUMN amount_cents TYPE numeric"],
  "not-null-unchecked": [
    "ALTER TABLE transfers ALTER COLUMN due_real_at SET NOT NULL",
    "ALTER TABLE transfers ADD CONSTRAINT a CHECK (due_real_at IS NOT NULL) NOT VALID;\nALTER TABLE transfers ALTER COLUMN due_real_at SET NOT NULL",
    "-- in steps: another column\nALTER TABLE transfers ADD CONSTRAINT a CHECK (status IS NOT NULL) NOT VALID;--> statement-breakpoint\nALTER TABLE transfers VALIDATE CONSTRAINT a;--> statement-breakpoint\nALTER TABLE transfers ALTER COLUMN due_real_at SET NOT NULL",
  ],
  "constraint-validates": [
    "ALTER TABLE transfers ADD CONSTRAINT a CHECK (amount_cents < 5)",
    "ALTER TABLE transfers ADD CONSTRAINT a FOREIGN KEY (user_id) REFERENCES users (id)",
    "ALTER TABLE transfers ADD CONSTRAINT a NOT NULL due_real_at",
  ],
  "constraint-builds-index": [
    "ALTER TABLE transfers ADD CONSTRAINT a UNIQUE (status)",
    "ALTER TABLE transfers ADD PRIMARY KEY (id)",
    "ALTER TABLE transfers ADD CONSTRAINT a EXCLUDE USING gist (status WITH =)",
  ],
  "partition-reads-rows": [
    "CREATE TABLE a (id uuid) PARTITION BY RANGE (id);--> statement-breakpoint\nALTER TABLE a ATTACH PARTITION transfers FOR VALUES FROM (MINVALUE) TO ('0')",
    "CREATE TABLE a (id uuid) PARTITION BY RANGE (id);--> statement-breakpoint\nALTER TABLE a ATTACH PARTITION transfers FOR VALUES FROM ('0') TO (MAXVALUE)",
    "CREATE TABLE a (id uuid) PARTITION BY RANGE (id);--> statement-breakpoint\nALTER TABLE a ATTACH PARTITION transfers DEFAULT",
  ],
  renames: [
    "-- in steps: so\nALTER TABLE transfers RENAME TO old;--> statement-breakpoint\nCREATE TABLE transfers (LIKE old)",
    "ALTER TABLE transfers RENAME TO old;--> statement-breakpoint\nCREATE TABLE transfer (LIKE old)",
    "ALTER TABLE transfers RENAME COLUMN status TO state",
    "-- contract: nothing reads transfers since record 0017\nALTER TABLE transfers RENAME TO transactions",
  ],
  cascades: [
    "-- contract: nothing reads a since record 0017\nDROP TABLE a CASCADE",
    "-- contract: nothing reads a since record 0017\nALTER TABLE transfers DROP COLUMN a CASCADE",
  ],
  "contract-unmarked": [
    "DROP TABLE transfers",
    "DROP TRIGGER transfers_wake ON transfers",
    "DROP FUNCTION wake_worker",
    "ALTER TABLE transfers DROP COLUMN status",
    "ALTER TABLE transfers DROP CONSTRAINT transfers_amount_positive",
    "ALTER INDEX transfers_due RENAME TO due_transfers",
  ],
  "contract-unknown": [
    "-- contract: nothing reads a any more\nDROP TABLE a",
    "-- contract: nothing reads a since record 9999\nDROP TABLE a",
  ],
  "all-rows": [
    "UPDATE transfers SET status = 'failed'",
    "UPDATE transfers SET status = 'failed' WHERE status = 'pending'",
    "DELETE FROM transfers",
    "-- in steps: so\n-- in batches of many\nUPDATE transfers SET status = 'failed' WHERE id = ANY($1)",
    "-- in steps: so\n-- in batches of 100 by transfers.id\nUPDATE transfers SET status = 'failed'",
  ],
};

test("each rule rejects its planted violation for that reason only", async () => {
  for (const [rule, texts] of Object.entries(planted)) {
    for (const text of texts) {
      const found = (await judge(text)).map((finding) => finding.rule);
      expect([...new Set(found)], text).toEqual([rule]);
    }
  }
});

test("instant and concurrent changes are allowed", async () => {
  const sound = [
    "CREATE TABLE a (id uuid PRIMARY KEY NOT NULL, user_id uuid);--> statement-breakpoint\nALTER TABLE a ADD CONSTRAINT b FOREIGN KEY (user_id) REFERENCES users (id);--> statement-breakpoint\nCREATE INDEX c ON a (user_id);--> statement-breakpoint\nINSERT INTO a SELECT id FROM users",
    "ALTER TABLE transfers ADD COLUMN a text, ADD COLUMN b integer DEFAULT 0 NOT NULL, ADD COLUMN c text[] DEFAULT '{}' NOT NULL, ADD COLUMN d timestamptz DEFAULT now() NOT NULL",
    "ALTER TABLE transfers ALTER COLUMN a DROP NOT NULL, ALTER COLUMN a SET DEFAULT 'x'",
    "ALTER TABLE transfers ADD CONSTRAINT a FOREIGN KEY (user_id) REFERENCES users (id) NOT VALID",
    "-- in steps: an index for it\nCREATE UNIQUE INDEX CONCURRENTLY a ON transfers (id);--> statement-breakpoint\nALTER TABLE transfers ADD CONSTRAINT a UNIQUE USING INDEX a",
    "-- contract: nothing reads a since release 0.2.0\nALTER TABLE transfers DROP COLUMN a",
    "INSERT INTO clock (is_only) VALUES (true)",
    "ALTER TABLE transfers RENAME TO old;--> statement-breakpoint\nCREATE TABLE transfers (LIKE old) PARTITION BY RANGE (id);--> statement-breakpoint\nALTER TABLE transfers ATTACH PARTITION old FOR VALUES FROM (MINVALUE) TO (MAXVALUE)",
  ];
  for (const text of sound) expect(await judge(text), text).toEqual([]);
});

test("the migrations tested under load follow the rules", async () => {
  const samples = Object.entries(sampleMigrations);
  expect(await findIn(samples.map(([name, text], index) => readMigration({ name, madeAt: index, text })))).toEqual([]);
});

function judge(text: string): Promise<Finding[]> {
  return findIn([readMigration({ name: "planted", madeAt: 1, text })]);
}

function findIn(migrations: Migration[]): Promise<Finding[]> {
  return findBlockingDdl(migrations, { isExamined: () => true, records });
}

function sentenceOf({ migration, statement, rule }: Finding): string {
  return `${migration}, statement ${statement}: ${problems[rule]}`;
}

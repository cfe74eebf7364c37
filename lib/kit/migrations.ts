import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";

export type Migration = {
  /** The file's name without `.sql`. */
  name: string;
  /** Unix ms; identifies the migration in the database's journal. */
  madeAt: number;
  hash: string;
  /** Each statement commits separately (`-- in steps` at the top of the file), so none holds another's locks. */
  isInSteps: boolean;
  statements: string[];
};

/** Oldest first. */
export function readMigrations(migrationsFolder: string): Migration[] {
  const journal = readFileSync(join(migrationsFolder, "meta/_journal.json"), "utf8");
  const { entries } = JSON.parse(journal) as { entries: { when: number; tag: string }[] };
  return entries.map(({ when, tag }) =>
    readMigration({ name: tag, madeAt: when, text: readFileSync(join(migrationsFolder, `${tag}.sql`), "utf8") }),
  );
}

export function readMigration({ name, madeAt, text }: { name: string; madeAt: number; text: string }): Migration {
  return {
    name,
    madeAt,
    hash: createHash("sha256").update(text).digest("hex"),
    isInSteps: headOf(text).some((line) => /^-- in steps\b/.test(line)),
    statements: text.split("--> statement-breakpoint"),
  };
}

export function headOf(text: string): string[] {
  const lines = text.trimStart().split("\n");
  const end = lines.findIndex((line) => !line.startsWith("--") || line.startsWith("-->"));
  return end < 0 ? lines : lines.slice(0, end);
}

/** A statement that changes many rows in batches: `-- in batches of 1000 by transfers.id`, with the ids as `$1`. */
export function readBatch(statement: string): { size: number; table: string; key: string } | undefined {
  const line = headOf(statement).find((comment) => /^-- in batches\b/.test(comment));
  const [, size, table, key] = /^-- in batches of (\d+) by (\w+)\.(\w+)$/.exec(line?.trimEnd() ?? "") ?? [];
  if (line && !(size && table && key)) throw new Error(`"${line}" should read "-- in batches of 1000 by table.column"`);
  return size && table && key ? { size: Number(size), table, key } : undefined;
}

export function isOutsideTransactions(statement: string): boolean {
  return /^(?:create|drop|reindex|refresh)\b.*?\bconcurrently\b/i.test(bodyOf(statement).replaceAll(/\s+/g, " "));
}

export function builtIndex(statement: string): string | undefined {
  return /^create\s+(?:unique\s+)?index\s+concurrently\s+(?:"([^"]+)"|(\w+))\s+on\s/i
    .exec(bodyOf(statement))
    ?.slice(1)
    .find((name) => name !== undefined);
}

export function bodyOf(statement: string): string {
  return statement.replace(/^(?:\s*--[^\n]*\n)*\s*/, "");
}

/** The tables that record which migrations a schema has. */
export type Journal = { done: string; steps: string };

export function journalOf(schema: string): Journal {
  if (schema === "public") return { done: "drizzle.__drizzle_migrations", steps: "drizzle.migration_steps" };
  return { done: `drizzle.migrations_of_${schema}`, steps: `drizzle.steps_of_${schema}` };
}

/** The number of migrations that this process knows, for `isDatabaseReady`. Reads the folder. */
export function countMigrations(migrationsFolder: string): number {
  return readMigrations(migrationsFolder).length;
}

/**
 * Whether the database answers within `timeoutMs` and has at least this many migrations. More are fine: old processes
 * see them during an update without downtime.
 */
export async function isDatabaseReady(
  pool: pg.Pool,
  migrations: number,
  { schema = "public", timeoutMs = 1000 } = {},
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const query = pool
    .query<{ count: number }>(`select count(*)::int as count from ${journalOf(schema).done}`)
    .then(({ rows }) => (rows[0]?.count ?? 0) >= migrations)
    .catch(() => false);
  try {
    return await Promise.race([query, late]);
  } finally {
    clearTimeout(timer);
  }
}

import { type SQL, sql } from "drizzle-orm";
import { withTimeout } from "../../kit/transaction.ts";
import { inTransaction } from "./database.ts";

export const monthlyTables = ["deliveries", "delivery_attempts"] as const;

/**
 * Creates one more monthly partition, until the newest begins more than a month from now, and returns its name.
 * Undefined when there are enough or another process does it. Throws a lock timeout when the table is in use.
 */
export function createNextMonth(table: (typeof monthlyTables)[number]): Promise<string | undefined> {
  return runStep("select divide_by_month($1) as done, keep_statistics_off($1)", [table]);
}

/** Drops one month that is too old and has nothing pending, and returns its name; undefined when there is none. */
export function dropMonthOfDeliveries(keptDays: number): Promise<string | undefined> {
  return runStep("select drop_month_of_deliveries(now() - make_interval(days => $1)) as done", [keptDays]);
}

export function oldestKeptId(keptDays: number): SQL {
  return sql`first_id_at(date_trunc('month', now() - make_interval(days => ${keptDays}), 'UTC'))`;
}

// Partitioning a table that grew for years reads it once, without blocking others.
const stepMs = 60 * 60 * 1000;

function runStep(text: string, values: unknown[]): Promise<string | undefined> {
  return inTransaction(async (_tx, connection) => {
    await connection.query("set local statement_timeout = '1 h'");
    const { rows } = await connection.query<{ done: string | null }>(withTimeout(stepMs, text, values));
    return rows[0]?.done ?? undefined;
  });
}

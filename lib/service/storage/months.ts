import { type SQL, sql } from "drizzle-orm";
import { within } from "../../kit/transaction.ts";
import { inTransaction } from "./database.ts";

/** The tables that are partitioned by month, whose rows are dropped with their month. */
export const monthlyTables = ["deliveries", "delivery_attempts"] as const;

/**
 * Takes one step towards a table whose newest month begins more than a month from now, and says what it did; undefined when it
 * is one, or another process is at it. Throws a lock timeout when others hold the table, which they do for a moment.
 */
export function divideByMonth(table: (typeof monthlyTables)[number]): Promise<string | undefined> {
  return runStep("select divide_by_month($1) as done, keep_statistics_off($1)", [table]);
}

/** Drops one month of webhooks, or of their attempts, that is too old and has no pending one, and says which; undefined when there is none. */
export function dropMonthOfDeliveries(keptDays: number): Promise<string | undefined> {
  return runStep("select drop_month_of_deliveries(now() - make_interval(days => $1)) as done", [keptDays]);
}

/** The first id of the oldest month of which anything is to be kept. */
export function firstIdKept(keptDays: number): SQL {
  return sql`first_id_at(date_trunc('month', now() - make_interval(days => ${keptDays}), 'UTC'))`;
}

// A table that grew for years before it was divided is read once, which takes its time and holds up nobody.
const stepMs = 60 * 60 * 1000;

function runStep(text: string, values: unknown[]): Promise<string | undefined> {
  return inTransaction(async (_tx, connection) => {
    await connection.query("set local statement_timeout = '1 h'");
    const { rows } = await connection.query<{ done: string | null }>(within(stepMs, text, values));
    return rows[0]?.done ?? undefined;
  });
}

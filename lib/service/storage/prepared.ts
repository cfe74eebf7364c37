import type { Connection } from "./database.ts";

export type { Connection };

/** A statement of a hot path. Its name must be unique: PostgreSQL parses and plans it once per connection under that name. */
export type PreparedStatement = { name: string; text: string };

/** Runs a prepared statement and returns its rows. The caller names their shape, as SQL cannot tell it. */
export async function runPrepared<Row extends object>(
  connection: Connection,
  statement: PreparedStatement,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await connection.query<Row>({ ...statement, values });
  return rows;
}

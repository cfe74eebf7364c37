import { type Connection, type Db, inTransaction } from "./database.ts";

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

/** As `inTransaction`, with the connection first. */
export function inPreparedTransaction<T>(work: (connection: Connection, tx: Db) => Promise<T>): Promise<T> {
  return inTransaction((tx, connection) => work(connection, tx));
}

import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { type Db, servicePool } from "./database.ts";

/** A statement of a hot path. Its name must be unique: PostgreSQL parses and plans it once per connection under that name. */
export type PreparedStatement = { name: string; text: string };

/** What a prepared statement can run on: the pool, or the connection that holds a transaction. */
export type Connection = Pick<pg.Pool | pg.PoolClient, "query">;

/** Runs a prepared statement and returns its rows. The caller names their shape, as SQL cannot tell it. */
export async function runPrepared<Row extends object>(
  connection: Connection,
  statement: PreparedStatement,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await connection.query<Row>({ ...statement, values });
  return rows;
}

/**
 * One transaction on one connection, for storage functions that take a set and own their transaction: commits when
 * `work` returns, rolls back when it throws. `tx` is the same transaction through the query builder.
 */
export async function inPreparedTransaction<T>(work: (connection: Connection, tx: Db) => Promise<T>): Promise<T> {
  const connection = await servicePool().connect();
  let broken = true;
  try {
    await connection.query("begin");
    const result = await work(connection, drizzle(connection));
    await connection.query("commit");
    broken = false;
    return result;
  } catch (error) {
    // A connection that cannot even roll back is not given back to the pool; closing it rolls back.
    broken = !(await connection.query("rollback").then(
      () => true,
      () => false,
    ));
    throw error;
  } finally {
    connection.release(broken);
  }
}

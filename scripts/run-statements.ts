import pg from "pg";

/** Runs statements on a connection of their own, and returns the last one's rows. */
export async function runStatements<Row extends pg.QueryResultRow>(
  url: string,
  ...statements: string[]
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query<Row>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

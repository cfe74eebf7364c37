import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { servicePool } from "./database.ts";

// docs/scaling.md says of each table whether its rows and its keys say whose they are. Here the catalog does.

type Table = { name: string; hasClient: boolean; keys: number; keysWithClient: number };

test("the page of scaling tells each table's columns and keys as the catalog has them", async () => {
  const { rows } = await servicePool().query<Table>(`
    select t.relname as name,
      exists (select from pg_attribute where attrelid = t.oid and attname = 'client_id' and attnotnull) as "hasClient",
      count(i.indexrelid)::int as keys,
      count(i.indexrelid) filter (where exists (
        select from pg_attribute a where a.attrelid = t.oid and a.attname = 'client_id' and a.attnum = any (i.indkey)
      ))::int as "keysWithClient"
    from pg_class t left join pg_index i on i.indrelid = t.oid and i.indisunique
    where t.relkind in ('r', 'p') and not t.relispartition and t.relnamespace = 'public'::regnamespace
    group by t.oid order by t.relname`);
  expect(rows.length).toBeGreaterThan(20);
  expect(toldTables()).toEqual(
    rows.map(({ name, hasClient, keys, keysWithClient }) => [
      name,
      hasClient ? "yes" : "no",
      `${keysWithClient} of ${keys}`,
    ]),
  );
});

/** The rows of the page's table: name, `client_id`, keys with it. */
function toldTables(): string[][] {
  const page = readFileSync("docs/scaling.md", "utf8");
  return [...page.matchAll(/^\| `(\w+)` \| (yes|no)\b[^|]*\| (\d+ of \d+) \|/gm)].map(([, ...cells]) => cells).sort();
}

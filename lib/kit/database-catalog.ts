import { readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { journalOf, readMigrations } from "./migrations.ts";

/** The file that holds the catalog of a folder's migrations, written by `npm run migrations:catalog`. */
export function catalogFile(migrationsFolder: string): string {
  return join(migrationsFolder, "catalog.txt");
}

/**
 * The tables, columns, constraints, indexes, triggers and functions of a database, as sorted lines. Omits partitions,
 * because they come and go every month.
 */
export async function readCatalog(pool: Pick<pg.Pool, "query">, schema = "public"): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(catalog, [schema]);
  return rows.map(({ line }) => line).sort();
}

/**
 * What a database is missing from its migrations' catalog or defines differently; additions are fine. Empty for a
 * database with newer migrations than this process knows.
 */
export async function findCatalogProblems(
  pool: Pick<pg.Pool, "query">,
  migrationsFolder: string,
  schema = "public",
): Promise<string[]> {
  const newestKnown = readMigrations(migrationsFolder).at(-1)?.madeAt ?? 0;
  const { rowCount: newer } = await pool.query(`select from ${journalOf(schema).done} where created_at > $1`, [
    newestKnown,
  ]);
  if (newer) return [];
  const expected = readFileSync(catalogFile(migrationsFolder), "utf8").trimEnd().split("\n").map(readLine);
  const actual = new Map((await readCatalog(pool, schema)).map(readLine));
  return expected.flatMap(([object, definition]) => {
    const found = actual.get(object);
    if (found === definition) return [];
    return [found === undefined ? `${object} is missing` : `${object} is not as expected`];
  });
}

export async function requireCatalog(
  pool: Pick<pg.Pool, "query">,
  migrationsFolder: string,
  schema = "public",
): Promise<void> {
  const problems = await findCatalogProblems(pool, migrationsFolder, schema);
  if (problems.length === 0) return;
  const { rows } = await pool.query<{ name: string }>("select current_database() as name");
  const more = problems.length > namedMax ? `; and ${problems.length - namedMax} more` : "";
  const inSchema = schema === "public" ? "" : ` (schema ${schema})`;
  throw new Error(
    `The database ${rows[0]?.name}${inSchema} does not match its migrations: ${problems.slice(0, namedMax).join("; ")}${more}. ` +
      `Restore what is missing as ${catalogFile(migrationsFolder)} defines it, then start again.`,
  );
}

const namedMax = 10;

function readLine(line: string): [object: string, definition: string] {
  const end = line.indexOf(": ");
  return [line.slice(0, end), line.slice(end + 2)];
}

const catalog = `
  with tables as (
    select oid, relname from pg_class
    where relnamespace = to_regnamespace(quote_ident($1)) and relkind in ('r', 'p') and not relispartition
  ), objects (object, definition) as (
    select format('table %s', relname), 'table' from tables
    union all
    select format('column %s of %s', attname, relname),
      concat_ws(' ', format_type(atttypid, atttypmod), case when attnotnull then 'not null' end,
        'default ' || pg_get_expr(adbin, adrelid), case when attidentity <> '' then 'identity' end)
    from tables t join pg_attribute a on attrelid = t.oid and attnum > 0 and not attisdropped
    left join pg_attrdef d on adrelid = t.oid and adnum = attnum
    union all
    select format('constraint %s of %s', conname, relname),
      pg_get_constraintdef(c.oid) || case when exists (
        select from pg_trigger where tgconstraint = c.oid and tgenabled = 'D') then ' (disabled)' else '' end
    from tables t join pg_constraint c on conrelid = t.oid and contype in ('p', 'u', 'c', 'f', 'x')
    union all
    select format('index %s of %s', i.relname, t.relname),
      pg_get_indexdef(i.oid) || case when indisvalid and indisready then '' else ' (invalid)' end
    from tables t join pg_index on indrelid = t.oid join pg_class i on i.oid = indexrelid
    where not exists (select from pg_constraint where conindid = i.oid and conrelid = t.oid)
    union all
    select format('trigger %s of %s', tgname, relname),
      pg_get_triggerdef(g.oid) || case when tgenabled = 'D' then ' (disabled)' else '' end
    from tables t join pg_trigger g on tgrelid = t.oid and not tgisinternal
    union all
    select format('function %s(%s)', proname, pg_get_function_identity_arguments(oid)),
      concat_ws(' ', md5(prosrc), case when prosecdef then 'security definer' end,
        replace(proconfig::text, 'search_path=' || $1, 'search_path=public'))
    from pg_proc where pronamespace = to_regnamespace(quote_ident($1))
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  )
  select replace(regexp_replace(object || ': ' || definition, '\\s+', ' ', 'g'), $1 || '.', '') as line from objects`;

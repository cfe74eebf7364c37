import { servicePool } from "../storage/database.ts";

/** Every row of every table as a line of text. */
export async function dumpDatabase(): Promise<string> {
  const tables = await servicePool().query<{ name: string }>(`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`);
  const parts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await servicePool().query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
    for (const { row } of rows) parts.push(`${name} ${row}`);
  }
  return parts.join("\n");
}

/** The canaries that a text contains: verbatim, in hexadecimal or in Base64. */
export function findCanaries(text: string, canaries: Record<string, string>): string[] {
  // A time's fraction may contain the six digits of a code.
  const withoutTimes = text.replace(/\d{4}-\d\d-\d\dT[\d:.+Z-]+/g, "");
  return Object.entries(canaries)
    .filter(([, value]) =>
      /^\d{6}$/.test(value)
        ? new RegExp(`(?<![\\w+/.-])${value}(?![\\w+/.-])`).test(withoutTimes)
        : spellings(value).some((spelling) => text.includes(spelling)),
    )
    .map(([name]) => name);
}

function spellings(value: string): string[] {
  const bytes = Buffer.from(value);
  // The last characters of Base64 depend on what follows.
  const base64 = bytes.toString("base64").replace(/=+$/, "").slice(0, -1);
  return [value, bytes.toString("hex"), base64, encodeURIComponent(value)];
}

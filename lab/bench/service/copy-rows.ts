import { once } from "node:events";
import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type pg from "pg";
import { from } from "pg-copy-streams";

const rowsPerChunk = 2000;

/** Inserts generated rows with COPY. All rows must have the same columns. */
export async function copyRows<Table extends PgTable>(
  database: pg.Client,
  table: Table,
  count: number,
  row: (index: number) => Table["$inferInsert"],
): Promise<void> {
  if (count === 0) return;
  const all = getTableColumns(table);
  const columns = Object.keys(row(0)).map((property) => {
    const column = all[property];
    if (!column) throw new Error(`${getTableName(table)} has no column ${property}.`);
    return `"${column.name}"`;
  });
  const stream = database.query(from(`copy ${getTableName(table)} (${columns.join(", ")}) from stdin`));
  const ended = once(stream, "finish");
  for (let start = 0; start < count; start += rowsPerChunk) {
    let text = "";
    for (let index = start; index < Math.min(count, start + rowsPerChunk); index++) {
      text += `${Object.values(row(index)).map(field).join("\t")}\n`;
    }
    if (!stream.write(text)) await once(stream, "drain");
  }
  stream.end();
  await ended;
}

// COPY's text format; no value contains a tab or line break.
function field(value: unknown): string {
  if (value === null || value === undefined) return "\\N";
  if (value instanceof Date) return textOf(value);
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return `{${value.join(",")}}`;
  return String(value).replaceAll("\\", "\\\\");
}

// Millions of rows share a few timestamps.
const texts = new Map<Date, string>();

function textOf(date: Date): string {
  const known = texts.get(date);
  if (known !== undefined) return known;
  texts.set(date, date.toISOString());
  return date.toISOString();
}

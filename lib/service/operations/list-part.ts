import type { Page } from "../storage/routines.ts";

/** One part of a list; `next` is the id to continue after, or null on the last one. */
export type ListPart<Row> = { rows: Row[]; next: string | null };

/** Reads one part of a list by asking for one row more than wanted: that row tells whether there is a next part. */
export async function readPart<Row extends { id: string }>(
  page: Page,
  read: (page: Page) => Promise<Row[]>,
): Promise<ListPart<Row>> {
  const found = await read({ ...page, limit: page.limit + 1 });
  const rows = found.slice(0, page.limit);
  return { rows, next: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null };
}

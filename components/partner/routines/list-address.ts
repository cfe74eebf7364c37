import type { RoutineListQuery } from "#lib/partner/routines/routine-view.ts";

/** The list's filters as a query string, `?status=active`, or nothing. */
export function searchOf({ filter, search, before }: RoutineListQuery): string {
  const query = new URLSearchParams();
  if (filter !== "all") query.set("status", filter);
  if (search) query.set("search", search);
  if (before) query.set("before", before);
  return query.size > 0 ? `?${query}` : "";
}

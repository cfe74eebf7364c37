import { database } from "../storage/database.ts";
import { listRoutines, type RoutineWithSeller } from "../storage/routines.ts";
import { isRoutineId } from "./routine-id.ts";

/** How the list can be narrowed: a word for people, and the statuses that it stands for. */
export const routineFilters = {
  all: undefined,
  active: ["submitting", "unanswered", "active"],
  completed: ["completed"],
  failed: ["failed", "cancelled", "refused"],
} as const satisfies Record<string, readonly string[] | undefined>;
export type RoutineFilterName = keyof typeof routineFilters;

/** What the address of the list says; whatever it does not understand is as if it were not there. */
export type RoutineListQuery = { filter: RoutineFilterName; search: string; before: string | undefined };

const pageSize = 20;
const searchCharactersMax = 100;

/** One page, newest first; `next` is the id to continue before, undefined on the last page. */
export type RoutineListPage = { routines: RoutineWithSeller[]; next: string | undefined };

/** The page of the list that the address asks for. */
export async function readRoutineList({ filter, search, before }: RoutineListQuery): Promise<RoutineListPage> {
  const statuses = routineFilters[filter];
  const routines = await listRoutines(database(), {
    ...(statuses && { statuses }),
    ...(search && { search }),
    ...(before && { before }),
    // One more than is shown tells whether there is a next page.
    limit: pageSize + 1,
  });
  const page = routines.slice(0, pageSize);
  return { routines: page, next: routines.length > pageSize ? page.at(-1)?.id : undefined };
}

/** Reads filter, search and place from the address of the list. */
export function parseRoutineListQuery(query: Record<string, string | string[] | undefined>): RoutineListQuery {
  const { status, search, before } = query;
  return {
    filter: typeof status === "string" && Object.hasOwn(routineFilters, status) ? (status as RoutineFilterName) : "all",
    search: typeof search === "string" ? search.trim().slice(0, searchCharactersMax) : "",
    before: typeof before === "string" && isRoutineId(before) ? before : undefined,
  };
}

import { isId } from "../../kit/ids.ts";
import type { Partner } from "../partner.ts";
import { readComparison } from "../storage/routine-comparison.ts";
import { countRoutinesIn, listRoutines, type RoutineWithSeller } from "../storage/routines.ts";
import type { RoutineState } from "../storage/schema.ts";
import { disambiguateSellers, shownStatus } from "./routine-view.ts";

export const routineFilters = {
  all: undefined,
  active: ["submitting", "unanswered", "open"],
  attention: ["missing", "conflicting"],
  completed: ["succeeded"],
  failed: ["failed", "cancelled", "refused"],
} as const satisfies Record<string, readonly RoutineState[] | undefined>;
export type RoutineFilterName = keyof typeof routineFilters;

/** Filter, search and position in the list's address; unknown values are ignored. */
export type RoutineListQuery = { filter: RoutineFilterName; search: string; before: string | undefined };

const pageSize = 20;
const searchCharactersMax = 100;

/** A routine in a list; `status` as in `RoutineView`, `createdAt` in ISO 8601. */
export type RoutineListItem = Pick<
  RoutineWithSeller,
  "id" | "name" | "sellerName" | "amountCents" | "state" | "status"
> & {
  createdAt: string;
};

/**
 * One page, newest first; `next` is the id to continue before. `isPartial`: the service has no complete list, so payments
 * may be missing here.
 */
export type RoutineListPage = {
  routines: RoutineListItem[];
  next?: string | undefined;
  isPartial: boolean;
  attention: number;
};

export async function readRoutineList(
  partner: Partner,
  { filter, search, before }: RoutineListQuery,
): Promise<RoutineListPage> {
  const states = routineFilters[filter];
  const { isPartial } = await readComparison(partner.db);
  const routines = await listRoutines(partner.db, {
    ...(states && { states }),
    ...(search && { search }),
    ...(before && { before }),
    // One more, to know whether there is a next page.
    limit: pageSize + 1,
  });
  const page = (await disambiguateSellers(partner, routines.slice(0, pageSize))).map(itemOf);
  return {
    routines: page,
    next: routines.length > pageSize ? page.at(-1)?.id : undefined,
    isPartial,
    attention: await countRoutinesIn(partner.db, routineFilters.attention),
  };
}

export async function readNewestRoutines(partner: Partner, limit: number): Promise<RoutineListItem[]> {
  return (await disambiguateSellers(partner, await listRoutines(partner.db, { limit }))).map(itemOf);
}

function itemOf(routine: RoutineWithSeller): RoutineListItem {
  const { id, name, sellerName, amountCents, state, createdAt } = routine;
  return { id, name, sellerName, amountCents, state, status: shownStatus(routine), createdAt: createdAt.toISOString() };
}

/** Reads filter, search and place from the address of the list. */
export function parseRoutineListQuery(query: Record<string, string | string[] | undefined>): RoutineListQuery {
  const { status, search, before } = query;
  return {
    filter: typeof status === "string" && Object.hasOwn(routineFilters, status) ? (status as RoutineFilterName) : "all",
    search:
      typeof search === "string"
        ? search
            .replaceAll(/\p{Cc}/gu, "")
            .trim()
            .slice(0, searchCharactersMax)
        : "",
    before: typeof before === "string" && isId(before) ? before : undefined,
  };
}

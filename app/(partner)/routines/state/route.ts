import { polledRoute } from "#lib/partner/requests/polled-route.ts";
import { parseRoutineListQuery, readRoutineList } from "#lib/partner/routines/routine-view.ts";

export const GET = polledRoute("operator", async (partner, _operator, _params, query) =>
  readRoutineList(partner, parseRoutineListQuery(Object.fromEntries(query))),
);

import { polledRoute } from "#lib/partner/requests/polled-route.ts";
import { watchRoutine } from "#lib/partner/routines/refresh-routine.ts";
import { readRoutineView } from "#lib/partner/routines/routine-view.ts";

export const GET = polledRoute("operator", async (partner, _operator, { id }: { id: string }) => {
  await watchRoutine(partner, id);
  return readRoutineView(partner, id);
});

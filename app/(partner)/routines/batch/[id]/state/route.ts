import { polledRoute } from "#lib/partner/requests/polled-route.ts";
import { readBatchView } from "#lib/partner/routines/batch-view.ts";

export const GET = polledRoute("operator", (partner, _operator, { id }: { id: string }) => readBatchView(partner, id));

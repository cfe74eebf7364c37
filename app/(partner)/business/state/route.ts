import { readConnectedBusiness } from "#lib/partner/connections/read-connected-user.ts";
import { polledRoute } from "#lib/partner/requests/polled-route.ts";

export const GET = polledRoute("operator", readConnectedBusiness);

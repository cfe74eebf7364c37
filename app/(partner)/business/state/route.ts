import { readConnectedBusiness } from "#lib/partner/connections/connected-users.ts";
import { polledRoute } from "#lib/partner/requests/polled-route.ts";

export const GET = polledRoute("operator", readConnectedBusiness);

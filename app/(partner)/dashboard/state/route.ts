import { findServiceUserId, readConnectedUser } from "#lib/partner/connections/connected-users.ts";
import { polledRoute } from "#lib/partner/requests/polled-route.ts";

export const GET = polledRoute("seller", async (partner, seller) => {
  const serviceUserId = await findServiceUserId(partner, seller);
  return serviceUserId ? readConnectedUser(partner, serviceUserId) : undefined;
});

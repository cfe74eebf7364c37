import { findServiceUserId } from "#lib/partner/connections/connected-users.ts";
import { readSellerPayments } from "#lib/partner/connections/seller-payments.ts";
import { polledRoute } from "#lib/partner/requests/polled-route.ts";

export const GET = polledRoute("seller", async (partner, seller, _params, query) => {
  const serviceUserId = await findServiceUserId(partner, seller);
  return serviceUserId ? readSellerPayments(partner, serviceUserId, query.get("after") ?? undefined) : undefined;
});

import { findServiceUserId } from "#lib/partner/connections/connected-users.ts";
import { readSellerPayment } from "#lib/partner/connections/seller-payments.ts";
import { polledRoute } from "#lib/partner/requests/polled-route.ts";

export const GET = polledRoute("seller", async (partner, seller, { id }: { id: string }) => {
  const serviceUserId = await findServiceUserId(partner, seller);
  return serviceUserId ? readSellerPayment(partner, serviceUserId, id) : undefined;
});

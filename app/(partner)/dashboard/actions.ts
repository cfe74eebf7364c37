"use server";

import { submitSellerAuthorization } from "#lib/partner/authorization/start-authorization.ts";
import { submitSellerDisconnect } from "#lib/partner/connections/connected-users.ts";
import { noFields, partnerAction, signedIn } from "#lib/partner/requests/partner-action.ts";

const seller = signedIn({ role: "seller", returnTo: "/dashboard" });

export const authorizeAgain = partnerAction(seller, noFields, submitSellerAuthorization);
export const disconnectSeller = partnerAction(seller, noFields, submitSellerDisconnect);

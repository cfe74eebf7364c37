"use server";

import { submitSellerAuthorization } from "#lib/partner/authorization/start-authorization.ts";
import { noFields, partnerAction, signedIn } from "#lib/partner/requests/partner-action.ts";

const seller = signedIn({ role: "seller", returnTo: "/onboarding/status" });

export const authorize = partnerAction(seller, noFields, submitSellerAuthorization);

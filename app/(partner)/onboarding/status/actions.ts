"use server";

import { submitSellerAuthorization } from "#lib/partner/authorization/submit-authorization.ts";
import { noFields, partnerAction, signedIn } from "#lib/partner/requests/partner-action.ts";

const seller = signedIn({ role: "seller", returnTo: "/onboarding/status" });

export const authorize = partnerAction(seller, noFields, submitSellerAuthorization);

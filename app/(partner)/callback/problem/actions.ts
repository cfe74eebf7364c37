"use server";

import {
  authorizeBusinessFields,
  submitBusinessAuthorization,
  submitSellerAuthorization,
} from "#lib/partner/authorization/start-authorization.ts";
import { noFields, partnerAction, signedIn } from "#lib/partner/requests/partner-action.ts";

const seller = signedIn({ role: "seller", returnTo: "/onboarding/status" });
const operator = signedIn({ role: "operator", returnTo: "/business" });

export const reauthorize = partnerAction(seller, noFields, submitSellerAuthorization);
export const reauthorizeBusiness = partnerAction(operator, authorizeBusinessFields, submitBusinessAuthorization);

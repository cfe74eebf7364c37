"use server";

import {
  authorizeBusinessFields,
  submitBusinessAuthorization,
} from "#lib/partner/authorization/start-authorization.ts";
import { submitBusinessDisconnect } from "#lib/partner/connections/connected-users.ts";
import { noFields, partnerAction, signedIn } from "#lib/partner/requests/partner-action.ts";

const operator = signedIn({ role: "operator", returnTo: "/business" });

export const authorizeBusiness = partnerAction(operator, authorizeBusinessFields, submitBusinessAuthorization);
export const disconnectOperatingBusiness = partnerAction(operator, noFields, submitBusinessDisconnect);

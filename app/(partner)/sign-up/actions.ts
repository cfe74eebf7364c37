"use server";

import { registrationFields } from "#lib/partner/people/sign-in-fields.ts";
import { submitSignUp } from "#lib/partner/people/submit-sign-in.ts";
import { anyVisitor, partnerAction } from "#lib/partner/requests/partner-action.ts";

export const signUp = partnerAction(anyVisitor, registrationFields, submitSignUp);

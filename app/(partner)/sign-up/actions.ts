"use server";

import { registrationFields } from "#lib/partner/people/registration.ts";
import { submitSignUp } from "#lib/partner/people/submit-sign-in.ts";
import { anybody, partnerAction } from "#lib/partner/requests/partner-action.ts";

export const signUp = partnerAction(anybody, registrationFields, submitSignUp);

"use server";

import { phoneChangeFields } from "#lib/partner/people/registration.ts";
import { codeFields, demoSignInFields, signInFields } from "#lib/partner/people/sign-in-fields.ts";
import { submitCode, submitResend } from "#lib/partner/people/submit-code.ts";
import { submitPhoneChange, submitSignIn, submitSignOut } from "#lib/partner/people/submit-sign-in.ts";
import { anybody, noFields, partnerAction } from "#lib/partner/requests/partner-action.ts";
import { submitDemoSignIn } from "#lib/partner/sandbox/submit-demo-sign-in.ts";

export const signIn = partnerAction(anybody, signInFields, submitSignIn);
export const signInDemoPerson = partnerAction(anybody, demoSignInFields, submitDemoSignIn);
export const enterCode = partnerAction(anybody, codeFields, submitCode);
export const resendCode = partnerAction(anybody, noFields, submitResend);
export const changePhone = partnerAction(anybody, phoneChangeFields, submitPhoneChange);
export const signOut = partnerAction(anybody, noFields, submitSignOut);

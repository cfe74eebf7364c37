"use server";

import {
  codeFields,
  demoSignInFields,
  emailChangeFields,
  phoneChangeFields,
  signInFields,
} from "#lib/partner/people/sign-in-fields.ts";
import { submitCode, submitResend } from "#lib/partner/people/submit-code.ts";
import { submitSignIn, submitSignOut, submitSignUpChange } from "#lib/partner/people/submit-sign-in.ts";
import { anyVisitor, noFields, partnerAction } from "#lib/partner/requests/partner-action.ts";
import { submitDemoSignIn } from "#lib/partner/sandbox/switch-person.ts";

export const signIn = partnerAction(anyVisitor, signInFields, submitSignIn);
export const signInDemoPerson = partnerAction(anyVisitor, demoSignInFields, submitDemoSignIn);
export const enterCode = partnerAction(anyVisitor, codeFields, submitCode);
export const resendCode = partnerAction(anyVisitor, noFields, submitResend);
export const changeEmail = partnerAction(anyVisitor, emailChangeFields, submitSignUpChange);
export const changePhone = partnerAction(anyVisitor, phoneChangeFields, submitSignUpChange);
export const signOut = partnerAction(anyVisitor, noFields, submitSignOut);

"use server";

import { demoSignInFields } from "#lib/partner/people/sign-in-fields.ts";
import { noFields, partnerAction } from "#lib/partner/requests/partner-action.ts";
import { inSandbox, inSandboxSignedIn } from "#lib/partner/sandbox/access.ts";
import { submitBecome } from "#lib/partner/sandbox/become-person.ts";
import { jumpFields, submitClockReset, submitJump } from "#lib/partner/sandbox/clocks.ts";
import { submitConnectDemoPeople } from "#lib/partner/sandbox/connect-sellers.ts";
import { decideFields, submitDecision } from "#lib/partner/sandbox/decide.ts";
import { submitFreshDemo, submitFreshPerson } from "#lib/partner/sandbox/start-over.ts";

const anySignedIn = inSandboxSignedIn();
const operator = inSandboxSignedIn({ role: "operator" });

export const become = partnerAction(inSandbox, demoSignInFields, submitBecome);
export const decide = partnerAction(anySignedIn, decideFields, submitDecision);
export const jump = partnerAction(anySignedIn, jumpFields, submitJump);
export const resetClocks = partnerAction(anySignedIn, noFields, submitClockReset);
export const freshPerson = partnerAction(inSandbox, noFields, submitFreshPerson);
export const freshDemo = partnerAction(anySignedIn, noFields, submitFreshDemo);
export const connectSellers = partnerAction(operator, noFields, submitConnectDemoPeople);

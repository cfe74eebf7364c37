"use server";

import { demoSignInFields } from "#lib/partner/people/sign-in-fields.ts";
import { noFields, partnerAction } from "#lib/partner/requests/partner-action.ts";
import { inSandbox, inSandboxSignedIn } from "#lib/partner/sandbox/access.ts";
import { jumpFields, submitClockReset, submitJumpOf } from "#lib/partner/sandbox/clocks.ts";
import { decideFields, submitDecision } from "#lib/partner/sandbox/decide.ts";
import { submitConnectDemoPeople, submitFreshDemo, submitFreshPerson } from "#lib/partner/sandbox/start-over.ts";
import { submitSwitchPerson } from "#lib/partner/sandbox/switch-person.ts";

const anySignedIn = inSandboxSignedIn();
const operator = inSandboxSignedIn({ role: "operator" });

export const switchPerson = partnerAction(inSandbox, demoSignInFields, submitSwitchPerson);
export const decide = partnerAction(anySignedIn, decideFields, submitDecision);
export const jump = partnerAction(anySignedIn, jumpFields, submitJumpOf);
export const resetClocks = partnerAction(anySignedIn, noFields, submitClockReset);
export const freshPerson = partnerAction(inSandbox, noFields, submitFreshPerson);
export const freshDemo = partnerAction(anySignedIn, noFields, submitFreshDemo);
export const connectSellers = partnerAction(operator, noFields, submitConnectDemoPeople);

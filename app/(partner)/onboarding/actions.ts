"use server";

import { onboardingForm } from "#lib/partner/onboarding/onboarding-fields.ts";
import { submitOnboarding } from "#lib/partner/onboarding/submit-onboarding.ts";
import { partnerAction, signedIn } from "#lib/partner/requests/partner-action.ts";

const seller = signedIn({ role: "seller", returnTo: "/onboarding" });

export const sendOnboarding = partnerAction(seller, onboardingForm, submitOnboarding);

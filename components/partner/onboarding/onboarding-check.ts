import { zodResolver } from "@hookform/resolvers/zod";
import { onboardingFields } from "#lib/partner/onboarding/onboarding-fields.ts";

/** Judges the answers by the rules that the server has; loaded by `lateCheck`. */
export const checkOnboarding = zodResolver(onboardingFields);

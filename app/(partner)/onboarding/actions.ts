"use server";

import { submitOnboarding } from "#lib/partner/onboarding/submit-onboarding.ts";
import type { FormState } from "#lib/partner/people/form-state.ts";

export async function sendOnboarding(input: unknown, idempotencyKey: string): Promise<FormState> {
  return submitOnboarding(input, idempotencyKey);
}

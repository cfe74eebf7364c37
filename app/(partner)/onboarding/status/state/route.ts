import { followUpOnboarding, readOnboardingState } from "#lib/partner/onboarding/onboarding-status.ts";
import { polledRoute } from "#lib/partner/requests/polled-route.ts";

export const GET = polledRoute("seller", async (partner, { id }) => {
  await followUpOnboarding(partner, id);
  return readOnboardingState(partner, id);
});

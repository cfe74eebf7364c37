import { accountDifferences } from "./accounts.ts";
import { authorizationDifferences } from "./authorization.ts";
import type { Difference } from "./difference.ts";
import { everyCallDifferences } from "./every-call.ts";
import { onboardingDifferences } from "./onboarding.ts";
import { paymentDifferences } from "./payments.ts";
import { webhookDifferences } from "./webhooks.ts";

/** Every difference from our own service that Harbor is tested with. */
export const differences: Difference[] = [
  ...onboardingDifferences,
  ...authorizationDifferences,
  ...accountDifferences,
  ...paymentDifferences,
  ...webhookDifferences,
  ...everyCallDifferences,
];

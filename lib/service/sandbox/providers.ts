import type { Providers } from "../providers.ts";
import { readDemoCredentials } from "./demo-credentials.ts";
import { watch } from "./events/watch.ts";
import { screenCorrection, screenIdentity, screenPhotoId } from "./screening.ts";
import { settlementOf } from "./settlement.ts";
import { visitTools } from "./visit-tools.ts";
import { planWithFaults } from "./webhook-faults.ts";

/** A sandbox's: the data that is sent in chooses the decisions, and calls and webhooks fail when asked to. */
export const sandboxProviders: Providers = {
  screening: { screenIdentity, screenCorrection, screenPhotoId },
  settlementOf,
  planDeliveries: planWithFaults,
  watch,
  demoCredentials: readDemoCredentials,
  visitTools,
};

import type { Providers } from "../providers.ts";
import { faultOf } from "./call-faults.ts";
import { screenCorrection, screenIdentity, screenPhotoId } from "./screening.ts";
import { settlementOf } from "./settlement.ts";
import { planWithFaults } from "./webhook-faults.ts";

/** A sandbox's: decisions are played by the data that is sent in, and calls and webhooks go wrong when asked to. */
export const sandboxProviders: Providers = {
  screening: { screenIdentity, screenCorrection, screenPhotoId },
  settlementOf,
  faultOf,
  planDeliveries: planWithFaults,
  showsTexts: true,
};

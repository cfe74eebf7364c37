import { readPartnerConfig } from "../config.ts";
import { createInspector } from "../inspector/create-inspector.ts";
import type { Partner } from "../partner.ts";
import { openPartner, setPartner } from "../process-partner.ts";

/** Makes Harbor under other settings than the environment's the partner of this process, with the sandbox's inspector. */
export function partnerWith(settings: Record<string, string> = {}): Partner {
  const config = readPartnerConfig({ ...process.env, ...settings });
  return setPartner(openPartner(config, createInspector));
}

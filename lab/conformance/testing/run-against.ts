import { type Report, runSuite } from "../run-suite.ts";
import { usualSettings } from "../world/settings.ts";
import type { BareRules } from "./bare-rules.ts";
import { type BareHabits, type BareService, startBareService } from "./bare-service.ts";

type Options = {
  broken?: Partial<BareRules>;
  habits?: Partial<BareHabits>;
  hasSandbox?: boolean;
  withDecisions?: boolean;
};

export async function runAgainstBare({
  broken = {},
  habits = {},
  hasSandbox = true,
  withDecisions = false,
}: Options = {}): Promise<Report> {
  const service = await startBareService({ broken, habits });
  try {
    return await runSuite({ ...settingsFor(service), hasSandbox }, { withDecisions });
  } finally {
    await service.stop();
  }
}

export function settingsFor({ baseUrl, clientId, clientSecret, settings }: BareService) {
  return { ...usualSettings, ...settings, baseUrl, authUrl: baseUrl, clientId, clientSecret, patienceMs: 400 };
}

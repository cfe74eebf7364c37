import { type Report, runSuite } from "../run-suite.ts";
import { usualSettings } from "../world/settings.ts";
import type { BrokenDecision } from "./broken-decisions.ts";
import { startDistortedService } from "./distorted-service.ts";

type Service = { baseUrl: string; authUrl: string; clientId: string; clientSecret: string };

/** Checks our decisions against our service with these changes. */
export async function runAgainstDistorted(of: Service, broken: BrokenDecision[]): Promise<Report> {
  const distortions = broken.map(({ distort }) => distort());
  const { stop, ...origins } = await startDistortedService(of, distortions);
  try {
    // Every decision must be checked, however slow this machine is.
    const patience = { patienceMs: 20_000, runMsMax: 500_000 };
    return await runSuite({ ...usualSettings, ...of, ...origins, ...patience }, { withPublished: false });
  } finally {
    await stop();
  }
}

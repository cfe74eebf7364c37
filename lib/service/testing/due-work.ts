import type { ScreeningProvider, SettlementProvider } from "../../contract/providers.ts";
import type { DueWork } from "../../kit/due-work.ts";
import { createOrderPoller } from "../operations/money/settle-by-provider.ts";
import { createScreener } from "../operations/people/screen-people.ts";

/** Asks about everyone due, and waits. Returns like `startDue`. */
export const screenDuePeople = (provider: ScreeningProvider) => finish(createScreener(provider));

export const pollSettlementOrders = (provider: SettlementProvider) => finish(createOrderPoller(provider));

async function finish({ startDue, drain }: DueWork): Promise<number | undefined> {
  await startDue();
  await drain();
  // Throws if any of that work failed.
  const nextMs = await startDue();
  await drain();
  return nextMs;
}

import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../../contract/limits.ts";

/**
 * Makes attempts until one is neither `idempotency_in_progress` nor `busy`: what it waits for is under way in
 * another transaction. Gives up after 2 seconds with the last outcome. Decision D13
 */
export async function untilSettled<Outcome extends { kind: string }>(
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const giveUpAt = performance.now() + limits.waitForOthersMs;
  while (true) {
    const outcome = await attempt();
    const isWaiting = outcome.kind === "idempotency_in_progress" || outcome.kind === "busy";
    if (!isWaiting || performance.now() + retryMs > giveUpAt) return outcome;
    await delay(retryMs);
  }
}

const retryMs = 20;

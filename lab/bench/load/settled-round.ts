import type { Callee } from "../processes/calls.ts";
import { untilSettled } from "../service/settled.ts";
import type { Generator } from "./generator.ts";
import { type Round, requireRight } from "./round.ts";

/**
 * A round of bookings that ends when all are settled, so that unsettled work doesn't count. Latencies are of creation.
 */
export async function settledRound(load: Callee<Generator>, seconds: number): Promise<Round> {
  const startedAt = performance.now();
  const round = await load.call("closedLoop", { warmUpSeconds: 0, seconds });
  requireRight("ours", round);
  await untilSettled();
  return { ...round, perSecond: round.count / ((performance.now() - startedAt) / 1000) };
}

import { and, eq, isNotNull } from "drizzle-orm";
import { type Cell, firstCell, inCell } from "../../../lib/service/cells.ts";
import { database } from "../../../lib/service/storage/database.ts";
import { transfers } from "../../../lib/service/storage/schema.ts";
import { until } from "../measure/until.ts";
import type { Callee } from "../processes/calls.ts";
import type { Generator } from "./generator.ts";
import { type Round, requireRight } from "./round.ts";

/**
 * A round of bookings that ends when all are settled, so that unsettled ones don't count. Latencies are of creation.
 */
export async function settledRound(
  load: Callee<Generator>,
  seconds: number,
  cells: readonly Cell[] = [firstCell],
): Promise<Round> {
  const startedAt = performance.now();
  const round = await load.call("closedLoop", { warmUpSeconds: 0, seconds });
  requireRight("ours", round);
  await Promise.all(cells.map((cell) => inCell(cell, untilSettled)));
  return { ...round, perSecond: round.count / ((performance.now() - startedAt) / 1000) };
}

async function untilSettled(): Promise<void> {
  const isDue = and(eq(transfers.status, "pending"), isNotNull(transfers.dueRealAt));
  const findOne = () => database().select({ id: transfers.id }).from(transfers).where(isDue).limit(1);
  await until("all transfers settled", async () => (await findOne()).length === 0);
}

import { and, eq, isNotNull } from "drizzle-orm";
import { database } from "../../../lib/service/storage/database.ts";
import { transfers } from "../../../lib/service/storage/schema.ts";
import { until } from "../measure/until.ts";

export async function untilSettled(): Promise<void> {
  const isDue = and(eq(transfers.status, "pending"), isNotNull(transfers.dueRealAt));
  const findOne = () => database().select({ id: transfers.id }).from(transfers).where(isDue).limit(1);
  await until("all transfers settled", async () => (await findOne()).length === 0);
}

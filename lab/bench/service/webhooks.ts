import { newId } from "../../../lib/kit/ids.ts";
import { database, inTransaction, servicePool } from "../../../lib/service/storage/database.ts";
import { insertDeliveries } from "../../../lib/service/storage/deliveries.ts";
import { until } from "../measure/until.ts";

const traceId = "ab".repeat(16);
// Keeps each statement's message small.
const perStatement = 5000;

/** Commits webhooks of one client in one transaction, with the service's own statement. */
export function commitWebhooks(clientId: string, count: number): Promise<void> {
  return inTransaction(async (tx) => {
    for (let left = count; left > 0; left -= perStatement) {
      const set = Array.from({ length: Math.min(left, perStatement) }, () => newWebhook(clientId));
      await insertDeliveries(tx, set);
    }
  });
}

/** Commits one webhook; returns its start (Unix ms) and id. */
export async function commitOneWebhook(clientId: string): Promise<{ id: string; at: number }> {
  const webhook = newWebhook(clientId);
  const at = performance.timeOrigin + performance.now();
  await insertDeliveries(database(), [webhook]);
  const { rows } = await servicePool().query<{ id: string }>(
    "select id from deliveries where client_id = $1 and resource_id = $2",
    [clientId, webhook.resourceId],
  );
  return { id: rows[0]?.id ?? "", at };
}

export async function untilDelivered(clientIds: string[]): Promise<void> {
  await until("all webhooks delivered", async () => (await countPending(clientIds)) === 0);
}

async function countPending(clientIds: string[]): Promise<number> {
  const { rows } = await servicePool().query<{ pending: number }>(
    "select count(*)::int as pending from deliveries where client_id = any ($1) and status = 'pending'",
    [clientIds],
  );
  return rows[0]?.pending ?? 0;
}

function newWebhook(clientId: string) {
  return { clientId, webhookType: "user_updated" as const, userId: newId(), resourceId: newId(), traceId };
}

import { limits } from "../../../contract/limits.ts";
import { redelivery } from "../../../contract/operator.ts";
import { lockDeliveriesInPeriod, makeDue } from "../../storage/deliveries.ts";
import { findWebhookEndpoint } from "../../storage/webhook-endpoints.ts";
import { type ClientChangeOperation, refused } from "./audited-change.ts";

const { redeliveriesMax } = limits;

/** Resends one webhook, or all from a period, regardless of status, with the same ids and bytes. */
export const redeliverWebhooks: ClientChangeOperation<typeof redelivery> = {
  action: "redeliver",
  body: redelivery,
  apply: async (tx, { id: clientId }, { webhook_id, since, until }) => {
    const { url, disabledAt } = await findWebhookEndpoint(tx, clientId);
    if (url === null || disabledAt) {
      return refused(
        "client_id",
        "This client's webhook endpoint has no address or is disabled: set its address first.",
      );
    }
    if (webhook_id !== undefined) {
      const id = webhook_id.toLowerCase();
      const due = await makeDue(tx, { ids: [id], clientId });
      if (due === 0) return refused("webhook_id", "This client has no such webhook.");
      return { kind: "applied", details: { webhook_id: id, webhooks: due } };
    }
    const time = { from: new Date(since ?? 0), until: until === undefined ? new Date() : new Date(until) };
    const ids = await lockDeliveriesInPeriod(tx, { clientId, ...time, limit: redeliveriesMax + 1 });
    if (ids.length > redeliveriesMax) {
      return refused("since", `More than ${redeliveriesMax} webhooks match: choose a shorter period.`);
    }
    const due = await makeDue(tx, { ids, clientId });
    const details = { since: time.from.toISOString(), until: time.until.toISOString(), webhooks: due };
    return { kind: "applied", details };
  },
};

import type { WebhookReceipt } from "../storage/webhook-receipts.ts";

/**
 * What an event led to. `not_ours`: it is about something that Harbor does not know, or not yet, when it overtook the
 * answer to our own request. `not_yet_known`: the same, while Harbor waits for an answer that this may be about.
 * `try_later`: the service could not be asked.
 */
export type Applied = "applied" | "ignored" | "not_ours" | "not_yet_known" | "try_later";

/** A delivery that says which resource changed. */
export type NamedReceipt = WebhookReceipt & { resourceId: string };

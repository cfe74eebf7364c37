import { applyUserIntentDecision } from "../onboarding/apply-user-intent-decision.ts";
import { readUserIntent } from "../service-client/user-intents.ts";
import type { WebhookReceipt } from "../storage/webhook-receipts.ts";
import type { Applied } from "./applied.ts";

/** Fetches the intent that was decided and hands its record to onboarding (`applyUserIntentDecision(record)`), which a page waits for. */
export async function applyUserIntentUpdate({ resourceId, traceId }: WebhookReceipt): Promise<Applied> {
  const answer = await readUserIntent(resourceId, { traceId });
  if (answer.kind === "refused" && answer.status === 404) return "not_ours";
  if (answer.kind !== "ok") return "try_later";
  const applied = await applyUserIntentDecision(answer.body);
  if (applied === "unknown_intent") return "not_ours";
  return applied === "unknown_status" ? "ignored" : "applied";
}

import { decisionOf } from "#client";
import { applyUserIntentDecision } from "../onboarding/apply-user-intent-decision.ts";
import type { Partner } from "../partner.ts";
import { offerAuthorization } from "../storage/onboardings.ts";
import type { Applied, NamedReceipt } from "./applied.ts";

/**
 * Fetches the intent that was decided and hands its record to onboarding (`applyUserIntentDecision(record)`), which a page
 * waits for. Where the service cannot be asked about intents, or says what Harbor does not know, the event itself is the
 * news: it is sent when the intent is decided, so its person may go on to the pages that tell how.
 */
export async function applyUserIntentUpdate(partner: Partner, { resourceId, traceId }: NamedReceipt): Promise<Applied> {
  const answer = await partner.client.readUserIntent(resourceId, { traceId });
  if (answer.kind === "ok") {
    const applied = await applyUserIntentDecision(partner, answer.body);
    if (applied !== "unknown_status") return applied === "applied" ? "applied" : "not_ours";
  }
  const isTold = answer.kind === "ok" || answer.kind === "unreadable";
  if (!isTold && decisionOf(answer) !== "definite") return "try_later";
  return (await offerAuthorization(partner.db, resourceId)) ? "applied" : "not_ours";
}

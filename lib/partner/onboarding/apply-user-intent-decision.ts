import type { UserIntent } from "#client";
import { userIntentStatuses } from "../../contract/statuses.ts";
import type { Partner } from "../partner.ts";
import { updateOnboarding } from "../storage/onboardings.ts";
import { customerIdKey } from "./own-pairs.ts";

/**
 * Keeps what the service says of an intent, for the page that waits for it. Records may come twice and in any order: the
 * newest wins. `unknown_intent` when it is nobody's here; `unknown_status` for a word that this client does not know.
 */
export async function applyUserIntentDecision(
  partner: Partner,
  record: UserIntent,
): Promise<"applied" | "unknown_intent" | "unknown_status"> {
  const status = userIntentStatuses.find((known) => known === record.status);
  if (!status) return "unknown_status";
  const isKnown = await updateOnboarding(partner.db, {
    userIntentId: record.id,
    personId: record.metadata?.[customerIdKey],
    status,
    rejectionReasons: record.rejection_reasons ?? [],
    userId: record.user_id ?? null,
    // Without a time of its own, what was just read counts as the newest.
    updatedAt: record.updated_at ? new Date(record.updated_at) : new Date(),
  });
  return isKnown ? "applied" : "unknown_intent";
}

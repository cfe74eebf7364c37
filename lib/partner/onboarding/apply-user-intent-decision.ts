import { userIntentStatuses } from "../../contract/statuses.ts";
import type { UserIntentRecord } from "../../contract/user-intent.ts";
import { database } from "../storage/database.ts";
import { updateOnboarding } from "../storage/onboardings.ts";
import { customerIdKey } from "./onboarding-fields.ts";

/**
 * Keeps what the service says of an intent, for the page that waits for it. Records may come twice and in any order: the
 * newest wins. `unknown_intent` when it is nobody's here; `unknown_status` for a word that this client does not know.
 */
export async function applyUserIntentDecision(
  record: UserIntentRecord,
): Promise<"applied" | "unknown_intent" | "unknown_status"> {
  const status = userIntentStatuses.find((known) => known === record.status);
  if (!status) return "unknown_status";
  const isKnown = await updateOnboarding(database(), {
    userIntentId: record.id,
    personId: record.metadata?.[customerIdKey],
    status,
    rejectionReasons: record.rejection_reasons,
    userId: record.user_id,
    updatedAt: new Date(record.updated_at),
  });
  return isKnown ? "applied" : "unknown_intent";
}

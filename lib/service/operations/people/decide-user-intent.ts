import { canFollow, type UserIntentStatus } from "../../../contract/statuses.ts";
import type { IdentitySubmissionKind } from "../../domain/identity-submission.ts";
import type { ScreeningDecision } from "../../providers.ts";
import { type Db, inTransaction } from "../../storage/database.ts";
import { insertDeliveries } from "../../storage/deliveries.ts";
import { deleteScreening, redeemScreening } from "../../storage/screenings.ts";
import { lockUserIntent, type UserIntent, updateUserIntentStatus } from "../../storage/user-intents.ts";
import { lockUser } from "../../storage/users.ts";
import { type Decision, decideLockedUser } from "./decide-user.ts";

/** What became of a decision about an intent. */
export type UserIntentDecisionOutcome =
  | { kind: "decided"; intent: UserIntent }
  | { kind: "not_found" }
  | { kind: "illegal_transition" };

/** Decides about one client's intent by hand; a screening under way then decides nothing. */
export function decideUserIntent(
  { id, clientId }: { id: string; clientId: string },
  decision: Decision<UserIntentStatus>,
): Promise<UserIntentDecisionOutcome> {
  return inTransaction(async (tx) => {
    const intent = await lockUserIntent(tx, id);
    if (intent?.clientId !== clientId) return { kind: "not_found" };
    const { status, rejectionReasons } = decision;
    if (status === "pending" || status === "converted_to_user") return { kind: "illegal_transition" };
    const outcome = await decideLockedIntent(tx, intent, { status, rejectionReasons });
    if (outcome.kind === "decided") await deleteScreening(tx, id);
    return outcome;
  });
}

/** What was screened: an intent as it was created, or what its person sent in later because a status asked for it. */
export type Screened = {
  userIntentId: string;
  submission?: { id: string; kind: IdentitySubmissionKind } | undefined;
};

/**
 * Applies what a screening found: to the intent, or to the user whom it has become meanwhile, unless somebody decided by
 * hand. undefined leaves it to somebody to decide by hand. Of several processes with the same screening, the one that removes it decides.
 */
export function applyScreening(
  { userIntentId, submission }: Screened,
  decision: ScreeningDecision | undefined,
): Promise<void> {
  return inTransaction(async (tx) => {
    const intent = await lockUserIntent(tx, userIntentId);
    const isMine = await redeemScreening(tx, { userIntentId, identitySubmissionId: submission?.id ?? null });
    if (!intent || !isMine || !decision) return;
    if (intent.userId === null) {
      await decideLockedIntent(tx, intent, decision);
      return;
    }
    const user = await lockUser(tx, intent.userId);
    if (user?.status === (submission?.kind ?? "pending")) await decideLockedUser(tx, user, decision, intent.traceId);
  });
}

async function decideLockedIntent(
  tx: Db,
  intent: UserIntent,
  decision: ScreeningDecision,
): Promise<UserIntentDecisionOutcome> {
  if (!canFollow("userIntent", intent.status, decision.status)) return { kind: "illegal_transition" };
  const decided = await updateUserIntentStatus(tx, intent, decision);
  // Published: announced when it becomes approved or rejected, and at no other status.
  if (decided.status === "approved" || decided.status === "rejected") {
    const { id, clientId, metadata, traceId } = decided;
    const resource = { userId: id, resourceId: id, metadata };
    await insertDeliveries(tx, [{ clientId, webhookType: "user_intent_updated", ...resource, traceId }]);
  }
  return { kind: "decided", intent: decided };
}

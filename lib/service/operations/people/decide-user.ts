import { canFollow, isUndecided, type UserIntentStatus, type UserStatus } from "../../../contract/statuses.ts";
import type { RejectionReason } from "../../../contract/user-intent.ts";
import type { TraceId } from "../../../kit/trace.ts";
import { openWallet } from "../../storage/accounts.ts";
import { type Db, inTransaction } from "../../storage/database.ts";
import { insertDeliveries } from "../../storage/deliveries.ts";
import { lockUserIntentsOfUser, type UserIntent, updateUserIntentStatus } from "../../storage/user-intents.ts";
import { lockUser, type User, updateUserStatus } from "../../storage/users.ts";

/** A new status for a person, with the reasons, which are none unless it is a rejection. */
export type Decision<Status> = { status: Status; rejectionReasons: RejectionReason[] };

/** What became of a decision about a user. */
export type UserDecisionOutcome =
  | { kind: "decided"; user: User }
  | { kind: "not_found" }
  | { kind: "illegal_transition" };

/** Gives one client's user a new status by hand, announced in the same transaction. */
export function decideUser(
  { id, clientId, traceId }: { id: string; clientId: string; traceId: TraceId },
  decision: Decision<UserStatus>,
): Promise<UserDecisionOutcome> {
  return inTransaction(async (tx) => {
    const intents = await lockUserIntentsOfUser(tx, id);
    const user = await lockUser(tx, id);
    if (user?.clientId !== clientId) return { kind: "not_found" };
    return decideLockedUser(tx, { user, intents }, { ...decision, traceId });
  });
}

/**
 * The same for a user locked together with all intents it came from: status, wallet if approved, `user_updated`. Approving or
 * rejecting an undecided user decides its intents too. Decision D7
 */
export async function decideLockedUser(
  tx: Db,
  { user, intents }: { user: User; intents: UserIntent[] },
  { status, rejectionReasons, traceId }: Decision<UserStatus> & { traceId: TraceId },
): Promise<UserDecisionOutcome> {
  if (!canFollow("user", user.status, status)) return { kind: "illegal_transition" };
  if (isUndecided(user.status) && (status === "approved" || status === "rejected")) {
    for (const intent of intents) await updateIntent(tx, intent, { status, rejectionReasons });
  }
  const decided = await updateUserStatus(tx, user, { status, rejectionReasons });
  if (decided.status === "approved") await openWallet(tx, decided);
  const { id: userId, clientId, metadata } = decided;
  await insertDeliveries(tx, [
    { clientId, webhookType: "user_updated", userId, resourceId: userId, metadata, traceId },
  ]);
  return { kind: "decided", user: decided };
}

/** Gives a locked intent its new status; approved and rejected are announced as `user_intent_updated`, and no other. */
export async function updateIntent(tx: Db, intent: UserIntent, decision: Decision<UserIntentStatus>): Promise<void> {
  const { id, clientId, status, userId, metadata, traceId } = await updateUserIntentStatus(tx, intent, decision);
  if (status !== "approved" && status !== "rejected") return;
  const resource = { userId: userId ?? id, resourceId: id, metadata };
  await insertDeliveries(tx, [{ clientId, webhookType: "user_intent_updated", ...resource, traceId }]);
}

import { canFollow, type UserStatus } from "../../../contract/statuses.ts";
import type { RejectionReason } from "../../../contract/user-intent.ts";
import type { TraceId } from "../../../kit/trace.ts";
import { type Db, inTransaction } from "../../storage/database.ts";
import { insertDeliveries } from "../../storage/deliveries.ts";
import { lockUser, type User, updateUserStatus } from "../../storage/users.ts";
import { openWallet } from "../money/open-wallet.ts";

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
    const user = await lockUser(tx, id);
    if (user?.clientId !== clientId) return { kind: "not_found" };
    return decideLockedUser(tx, user, decision, traceId);
  });
}

/** The same for a user whom the transaction has locked: status, wallet if approved, `user_updated`. Decision D7 */
export async function decideLockedUser(
  tx: Db,
  user: User,
  decision: Decision<UserStatus>,
  traceId: TraceId,
): Promise<UserDecisionOutcome> {
  if (!canFollow("user", user.status, decision.status)) return { kind: "illegal_transition" };
  const decided = await updateUserStatus(tx, user, decision);
  if (decided.status === "approved") await openWallet(tx, decided);
  const { id: userId, clientId, metadata } = decided;
  await insertDeliveries(tx, [
    { clientId, webhookType: "user_updated", userId, resourceId: userId, metadata, traceId },
  ]);
  return { kind: "decided", user: decided };
}

import type { RejectionReason } from "../../../contract/people.ts";
import { canFollow, isUndecided, type UserIntentStatus, type UserStatus } from "../../../contract/statuses.ts";
import type { TraceId } from "../../../kit/trace.ts";
import type { IdentitySubmissionKind } from "../../domain/identity-submission.ts";
import type { ScreeningDecision } from "../../providers.ts";
import { openWallet } from "../../storage/accounts.ts";
import { type Db, inTransaction, type RowOfClient } from "../../storage/database.ts";
import { insertDeliveries } from "../../storage/deliveries.ts";
import {
  lockUser,
  lockUserIntentsOfUser,
  lockUserIntentWithSiblings,
  type User,
  type UserIntent,
  updateUser,
  updateUserIntentStatus,
} from "../../storage/people.ts";
import { deleteScreening, lockScreening, redeemScreening } from "../../storage/screenings.ts";

export type UserIntentDecisionOutcome = { kind: "decided" | "not_found" | "illegal_transition" };

/** Decides an intent by hand, and its user if it has one, and cancels its screening. Decision D7 */
export function decideUserIntent(
  ofClient: RowOfClient,
  decision: Decision<UserIntentStatus>,
): Promise<UserIntentDecisionOutcome> {
  return inTransaction((tx) => decideUserIntentWithin(tx, ofClient, decision));
}

/** The same in the caller's transaction. */
export async function decideUserIntentWithin(
  tx: Db,
  { id, clientId }: RowOfClient,
  { status, rejectionReasons }: Decision<UserIntentStatus>,
): Promise<UserIntentDecisionOutcome> {
  const intents = await lockUserIntentWithSiblings(tx, id);
  const intent = intents.find((one) => one.id === id);
  if (intent?.clientId !== clientId) return { kind: "not_found" };
  const isLegal = status !== "converted_to_user" && canFollow("userIntent", intent.status, status);
  if (!isLegal) return { kind: "illegal_transition" };
  const decision = { status, rejectionReasons };
  if (intent.userId === null) {
    await updateIntent(tx, intent, decision);
  } else {
    await lockScreening(tx, id);
    const user = await lockUser(tx, intent.userId);
    // A decided user keeps its status here, even a suspended one.
    if (!user || !isUndecided(user.status)) return { kind: "illegal_transition" };
    await decideLockedUser(tx, user, { ...decision, traceId: intent.traceId });
  }
  await deleteScreening(tx, id);
  return { kind: "decided" };
}

/** An intent as created, or a later submission. */
export type Screened = {
  userIntentId: string;
  submission?: { id: string; kind: IdentitySubmissionKind } | undefined;
};

/** `too_late`: another result, or an operator, was first. `impossible`: this status can't follow, so an operator decides. */
export type ScreeningOutcome = "decided" | "left_to_operator" | "too_late" | "impossible";

/**
 * Applies a screening's decision to the intent and its user, unless an operator decided first; undefined leaves it to
 * an operator. If several results arrive, only the one that deletes the screening's row counts.
 */
export function applyScreening(
  { userIntentId, submission }: Screened,
  decision: ScreeningDecision | undefined,
): Promise<ScreeningOutcome> {
  return inTransaction(async (tx): Promise<ScreeningOutcome> => {
    const intents = await lockUserIntentWithSiblings(tx, userIntentId);
    const intent = intents.find(({ id }) => id === userIntentId);
    const isMine = await redeemScreening(tx, { userIntentId, identitySubmissionId: submission?.id ?? null });
    if (!intent || !isMine) return "too_late";
    if (!decision) return "left_to_operator";
    if (intent.userId === null) {
      if (!canFollow("userIntent", intent.status, decision.status)) return "impossible";
      await updateIntent(tx, intent, decision);
      return "decided";
    }
    const user = await lockUser(tx, intent.userId);
    if (user?.status !== (submission?.kind ?? "pending")) return "too_late";
    const { kind } = await decideLockedUser(tx, user, { ...decision, traceId: intent.traceId });
    return kind === "decided" ? "decided" : "impossible";
  });
}

/** Only a rejection has reasons. */
export type Decision<Status> = { status: Status; rejectionReasons: RejectionReason[] };

export type UserDecisionOutcome =
  | { kind: "decided"; user: User }
  | { kind: "not_found" }
  | { kind: "illegal_transition" };

/** Sets a user's status by hand and sends the webhook in the same transaction. */
export function decideUser(
  ofClient: { id: string; clientId: string; traceId: TraceId },
  decision: Decision<UserStatus>,
): Promise<UserDecisionOutcome> {
  return inTransaction((tx) => decideUserWithin(tx, ofClient, decision));
}

/** The same in the caller's transaction. */
export async function decideUserWithin(
  tx: Db,
  { id, clientId, traceId }: { id: string; clientId: string; traceId: TraceId },
  decision: Decision<UserStatus>,
): Promise<UserDecisionOutcome> {
  await lockUserIntentsOfUser(tx, id);
  const user = await lockUser(tx, id);
  if (user?.clientId !== clientId) return { kind: "not_found" };
  return decideLockedUser(tx, user, { ...decision, traceId });
}

/**
 * Decides a user locked together with its intents: status, wallet if approved, `user_updated`. Approving or rejecting
 * an undecided user decides its intents too, except those decided before their conversion. Decision D7
 */
export async function decideLockedUser(
  tx: Db,
  user: User,
  { status, rejectionReasons, traceId }: Decision<UserStatus> & { traceId: TraceId },
): Promise<UserDecisionOutcome> {
  if (!canFollow("user", user.status, status)) return { kind: "illegal_transition" };
  if (isUndecided(user.status) && (status === "approved" || status === "rejected")) {
    // Again, because another intent may have joined while this waited for the user. If its lock, taken out of order,
    // deadlocks, the transaction is retried.
    const intents = await lockUserIntentsOfUser(tx, user.id);
    const following = intents.filter(({ wasDecided }) => !wasDecided);
    for (const intent of following) await updateIntent(tx, intent, { status, rejectionReasons });
  }
  const decided = await updateUser(tx, user, { status, rejectionReasons });
  if (decided.status === "approved") await openWallet(tx, decided);
  const { id: userId, clientId, metadata } = decided;
  await insertDeliveries(tx, [
    { clientId, webhookType: "user_updated", userId, resourceId: userId, metadata, traceId },
  ]);
  return { kind: "decided", user: decided };
}

/** Sets a locked intent's status. Only approved and rejected send `user_intent_updated`. */
export async function updateIntent(tx: Db, intent: UserIntent, decision: Decision<UserIntentStatus>): Promise<void> {
  const { id, clientId, status, userId, metadata, traceId } = await updateUserIntentStatus(tx, intent, decision);
  if (status !== "approved" && status !== "rejected") return;
  const resource = { userId: userId ?? id, resourceId: id, metadata };
  await insertDeliveries(tx, [{ clientId, webhookType: "user_intent_updated", ...resource, traceId }]);
}

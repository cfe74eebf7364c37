import { canFollow, isUndecided, type UserIntentStatus } from "../../../contract/statuses.ts";
import type { IdentitySubmissionKind } from "../../domain/identity-submission.ts";
import type { ScreeningDecision } from "../../providers.ts";
import { inTransaction } from "../../storage/database.ts";
import { deleteScreening, lockScreening, redeemScreening } from "../../storage/screenings.ts";
import { lockUserIntentWithSiblings } from "../../storage/user-intents.ts";
import { lockUser } from "../../storage/users.ts";
import { type Decision, decideLockedUser, updateIntent } from "./decide-user.ts";

/** What became of a decision about an intent. */
export type UserIntentDecisionOutcome = { kind: "decided" | "not_found" | "illegal_transition" };

/**
 * Decides about one client's intent by hand, and about the user it has become; a screening under way then decides nothing.
 * Decision D7
 */
export function decideUserIntent(
  { id, clientId }: { id: string; clientId: string },
  { status, rejectionReasons }: Decision<UserIntentStatus>,
): Promise<UserIntentDecisionOutcome> {
  return inTransaction(async (tx) => {
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
      // A user who was decided already stays so, even where a suspension could end.
      if (!user || !isUndecided(user.status)) return { kind: "illegal_transition" };
      await decideLockedUser(tx, { user, intents }, { ...decision, traceId: intent.traceId });
    }
    await deleteScreening(tx, id);
    return { kind: "decided" };
  });
}

/** What was screened: an intent as it was created, or what its person sent in later because a status asked for it. */
export type Screened = {
  userIntentId: string;
  submission?: { id: string; kind: IdentitySubmissionKind } | undefined;
};

/**
 * Applies what a screening found: to the intent, and to the user it has become, unless somebody decided by hand. undefined
 * leaves it to be decided by hand. Of several processes with the same screening, the one that removes it decides.
 */
export function applyScreening(
  { userIntentId, submission }: Screened,
  decision: ScreeningDecision | undefined,
): Promise<void> {
  return inTransaction(async (tx) => {
    const intents = await lockUserIntentWithSiblings(tx, userIntentId);
    const intent = intents.find(({ id }) => id === userIntentId);
    const isMine = await redeemScreening(tx, { userIntentId, identitySubmissionId: submission?.id ?? null });
    if (!intent || !isMine || !decision) return;
    if (intent.userId === null) {
      if (canFollow("userIntent", intent.status, decision.status)) await updateIntent(tx, intent, decision);
      return;
    }
    const user = await lockUser(tx, intent.userId);
    if (user?.status !== (submission?.kind ?? "pending")) return;
    await decideLockedUser(tx, { user, intents }, { ...decision, traceId: intent.traceId });
  });
}

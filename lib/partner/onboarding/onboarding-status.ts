import type { RejectionReason, UserIntent } from "#client";
import { userIntentStatuses } from "../../contract/statuses.ts";
import type { TraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { claimUndecidedOnboarding, findNewestOnboarding, updateOnboarding } from "../storage/onboardings.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { customerIdKey } from "./metadata-pairs.ts";

export type OnboardingState =
  | { kind: "not_started" }
  | { kind: "waiting"; since: string /* ISO 8601 */ }
  /** The service may or may not have the details; sending them again is safe. */
  | { kind: "unanswered" }
  /** The service has the details but hasn't shared its decision; its own pages will show it. */
  | { kind: "offered" }
  /** The person can continue to the authorization pages, which also resolve `retry` and `document`. */
  | { kind: "approved" | "retry" | "document" }
  | { kind: "rejected"; reasons: RejectionReason[] }
  | { kind: "connected" };

// Longer than a call can take (client/create-client.ts).
const unansweredSeconds = 15;

/** Reads the state from Harbor's own database. */
export async function readOnboardingState(partner: Partner, personId: string): Promise<OnboardingState> {
  if (await findServiceUserOfPerson(partner.db, personId)) return { kind: "connected" };
  const onboarding = await findNewestOnboarding(partner.db, personId, { unansweredSeconds });
  if (!onboarding) return { kind: "not_started" };
  const { status, unansweredSends, rejectionReasons, createdAt, isUnanswered, isOffered } = onboarding;
  // Every request was refused.
  if (status === "submitting" && unansweredSends === 0) return { kind: "not_started" };
  if (isUnanswered) return { kind: "unanswered" };
  if (isOffered) return { kind: "offered" };
  switch (status) {
    case "submitting":
    case "pending":
      return { kind: "waiting", since: createdAt.toISOString() };
    case "rejected":
      return { kind: "rejected", reasons: rejectionReasons };
    // The person authenticated at the service but didn't authorize, and the decision isn't known (Decision D7).
    case "converted_to_user":
      return { kind: "offered" };
    case "approved":
    case "retry":
    case "document":
      return { kind: status };
  }
}

const pollSeconds = 5;
const graceSeconds = 60;
const waitMs = 2000;

/**
 * Polls the service about an undecided intent while its person waits, at most every five seconds: webhooks can be late,
 * and none announces `retry` or `document` (Decision D14). After a minute without a status, the person may continue.
 */
export async function followUpOnboarding(partner: Partner, personId: string): Promise<void> {
  const undecided = await claimUndecidedOnboarding(partner.db, personId, { pollSeconds, graceSeconds });
  if (!undecided) return;
  const { userIntentId, traceId } = undecided;
  const reading = readDecision(partner, userIntentId, traceId);
  await waitAtMost(waitMs, reading, "reading an undecided intent failed", { traceId, userIntentId });
}

async function readDecision(partner: Partner, userIntentId: string, traceId: TraceId): Promise<void> {
  const requestedAt = new Date();
  const answer = await partner.client.readUserIntent(userIntentId, { traceId });
  if (answer.kind === "ok") await applyUserIntentDecision(partner, answer.body, requestedAt);
}

/**
 * Stores the service's record of an intent. Records may repeat and arrive in any order; the newest wins. A record without
 * a time counts as of `requestedAt`.
 */
export async function applyUserIntentDecision(
  partner: Partner,
  record: UserIntent,
  requestedAt: Date = new Date(),
): Promise<"applied" | "unknown_intent" | "unknown_status"> {
  const status = userIntentStatuses.find((known) => known === record.status);
  if (!status) return "unknown_status";
  const isKnown = await updateOnboarding(partner.db, {
    userIntentId: record.id,
    personId: record.metadata?.[customerIdKey],
    status,
    rejectionReasons: record.rejection_reasons ?? [],
    userId: record.user_id ?? null,
    updatedAt: record.updated_at ? new Date(record.updated_at) : requestedAt,
  });
  return isKnown ? "applied" : "unknown_intent";
}

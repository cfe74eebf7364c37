import type { RejectionReason, UserIntent } from "#client";
import { userIntentStatuses } from "../../contract/statuses.ts";
import { log } from "../../kit/log.ts";
import type { TraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { claimUndecidedOnboarding, findNewestOnboarding, updateOnboarding } from "../storage/onboardings.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { customerIdKey } from "./metadata-pairs.ts";

/** How far a person is, for the page that waits. */
export type OnboardingState =
  | { kind: "not_started" }
  /** `isSent`: the service has the details; until then only the request is under way. */
  | { kind: "waiting"; since: string /* ISO 8601 */; isSent: boolean }
  /** Whether the service has the details is not known, and they may be sent again. */
  | { kind: "unanswered" }
  /** The service has the details and does not tell Harbor what it made of them; its own pages do. */
  | { kind: "offered" }
  /** May go on to the authorization pages; `retry` and `document` are settled there. */
  | { kind: "approved" | "retry" | "document" }
  | { kind: "rejected"; reasons: RejectionReason[] }
  /** Has authorized Harbor: nothing is left to do here. */
  | { kind: "connected" };

// Longer than a call may last (client/create-client.ts), so whoever sent it has given up or is gone.
const unansweredSeconds = 15;

/** Reads it from Harbor's own database, which webhooks keep up to date. */
export async function readOnboardingState(partner: Partner, personId: string): Promise<OnboardingState> {
  if (await findServiceUserOfPerson(partner.db, personId)) return { kind: "connected" };
  const onboarding = await findNewestOnboarding(partner.db, personId, { unansweredSeconds });
  if (!onboarding) return { kind: "not_started" };
  const { status, rejectionReasons, createdAt, isUnanswered, isOffered } = onboarding;
  if (isUnanswered) return { kind: "unanswered" };
  if (isOffered) return { kind: "offered" };
  switch (status) {
    case "submitting":
    case "pending":
      return { kind: "waiting", since: createdAt.toISOString(), isSent: status === "pending" };
    case "rejected":
      return { kind: "rejected", reasons: rejectionReasons };
    case "converted_to_user":
      return { kind: "approved" };
    case "approved":
    case "retry":
    case "document":
      return { kind: status };
  }
}

// The webhook is faster wherever there is one.
const pauseSeconds = 5;
// Longer than a passing trouble lasts, and short enough for somebody who waits at the page.
const patienceSeconds = 60;
const waitMs = 2000;

/**
 * Asks the service about an intent that has been undecided for a while: `retry` and `document` are announced by no
 * webhook (Decision D14), and a webhook may come late. Called while somebody waits; asks every five seconds at most,
 * however many pages wait. When the service does not tell for a minute, the person may go on without (`offered`). Resolves
 * when it was read, after 2 s at the latest.
 */
export async function followUpOnboarding(partner: Partner, personId: string): Promise<void> {
  const undecided = await claimUndecidedOnboarding(partner.db, personId, { pauseSeconds, patienceSeconds });
  if (!undecided) return;
  const { userIntentId, traceId } = undecided;
  const reading = readDecision(partner, userIntentId, traceId).catch((error) =>
    log().error({ error, traceId, userIntentId }, "reading an undecided intent failed"),
  );
  await waitAtMost(waitMs, reading);
}

async function readDecision(partner: Partner, userIntentId: string, traceId: TraceId): Promise<void> {
  const answer = await partner.client.readUserIntent(userIntentId, { traceId });
  if (answer.kind === "ok") await applyUserIntentDecision(partner, answer.body);
}

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

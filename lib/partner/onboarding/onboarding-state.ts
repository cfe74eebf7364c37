import type { RejectionReason } from "#client";
import type { Partner } from "../partner.ts";
import { findNewestOnboarding } from "../storage/onboardings.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";

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

import { readUserIntent } from "../service-client/user-intents.ts";
import { database } from "../storage/database.ts";
import { claimUndecidedOnboarding } from "../storage/onboardings.ts";
import { applyUserIntentDecision } from "./apply-user-intent-decision.ts";

// The webhook is faster wherever there is one.
const pauseSeconds = 5;

/**
 * Asks the service about an intent that has been undecided for a while: `retry` and `document` are announced by no
 * webhook (Decision D14), and a webhook may come late. Called while somebody waits; asks every five seconds at most,
 * however many pages wait. No answer is no news.
 */
export async function followUpOnboarding(personId: string): Promise<void> {
  const undecided = await claimUndecidedOnboarding(database(), personId, pauseSeconds);
  if (!undecided) return;
  const answer = await readUserIntent(undecided.userIntentId, { traceId: undecided.traceId });
  if (answer.kind === "ok") await applyUserIntentDecision(answer.body);
}

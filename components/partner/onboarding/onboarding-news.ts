import type { OnboardingState } from "#lib/partner/onboarding/onboarding-state.ts";

const sentences: Record<OnboardingState["kind"], string> = {
  waiting: "We're checking your details.",
  unanswered: "We don't know whether your details arrived.",
  offered: "Please go on at our payment service.",
  approved: "You're approved.",
  retry: "Some details don't match.",
  document: "A photo ID is needed.",
  rejected: "We couldn't confirm your details.",
  connected: "",
  not_started: "",
};

/** What somebody is told who waits at the page: what it shows now, when that is something else than before. */
export function newsOfOnboarding(before: OnboardingState, now: OnboardingState): string {
  return before.kind === now.kind ? "" : sentences[now.kind];
}

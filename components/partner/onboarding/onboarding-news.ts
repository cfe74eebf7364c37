import type { OnboardingState } from "#lib/partner/onboarding/onboarding-state.ts";

const sentences: Record<OnboardingState["kind"], string> = {
  waiting: "We are checking your details.",
  unanswered: "We do not know whether your details arrived.",
  offered: "Please go on at our payment service.",
  approved: "You are approved.",
  retry: "Some details do not match.",
  document: "A photo ID is needed.",
  rejected: "We could not confirm your details.",
  connected: "",
  not_started: "",
};

/** What somebody is told who waits at the page: what it shows now, when that is something else than before. */
export function newsOfOnboarding(before: OnboardingState, now: OnboardingState): string {
  return before.kind === now.kind ? "" : sentences[now.kind];
}

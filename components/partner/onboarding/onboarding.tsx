import { PageHeader } from "#components/ui/page-header.tsx";
import { OnboardingForm } from "./onboarding-form.tsx";
import type { OnboardingPerson, SendOnboarding } from "./use-onboarding-form.ts";

type OnboardingProps = { person: OnboardingPerson; send: SendOnboarding; isSandbox: boolean };

/** Setting up payouts: what is asked, and what for. */
export function Onboarding({ person, send, isSandbox }: OnboardingProps) {
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title="Set up payouts"
        description="Our payment service needs to know who it pays. This takes about two minutes."
      />
      <OnboardingForm person={person} send={send} isSandbox={isSandbox} />
    </div>
  );
}

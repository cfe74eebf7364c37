import { PageHeader } from "#components/ui/page-header.tsx";
import { OnboardingForm } from "./onboarding-form.tsx";
import type { OnboardingPerson, SendOnboarding } from "./use-onboarding-form.ts";

type OnboardingProps = { person: OnboardingPerson; send: SendOnboarding; isSandbox: boolean };

/** Setting up payments: what is asked, and what for. */
export function Onboarding({ person, send, isSandbox }: OnboardingProps) {
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title="Set up payments"
        description="Our payment service needs to know who it pays. This takes about two minutes."
      />
      <OnboardingForm person={person} send={send} isSandbox={isSandbox} />
    </div>
  );
}

import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { OnboardingForm } from "#components/partner/onboarding/onboarding-form.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { readOnboardingState } from "#lib/partner/onboarding/onboarding-state.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { sendOnboarding } from "./actions.ts";

export const metadata: Metadata = { title: "Set up payouts" };

type Props = { searchParams: Promise<{ again?: string | string[] }> };

export default async function OnboardingPage({ searchParams }: Props) {
  const { id, firstName, lastName, email, phone } = await requirePerson({ role: "seller", returnTo: "/onboarding" });
  const { kind } = await readOnboardingState(id);
  const mayBegin =
    kind === "not_started" || kind === "unsent" || (kind === "rejected" && (await searchParams).again !== undefined);
  if (!mayBegin) redirect("/onboarding/status");
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title="Set up payouts"
        description="Our payment service must know whom it pays. This takes about two minutes."
      />
      <OnboardingForm person={{ id, firstName, lastName, email, phone }} send={sendOnboarding} />
    </div>
  );
}

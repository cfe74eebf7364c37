import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { OnboardingStatus } from "#components/partner/onboarding/onboarding-status.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { followUpOnboarding, readOnboardingState } from "#lib/partner/onboarding/onboarding-status.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { words } from "#lib/partner/words/words.ts";
import { authorize } from "./actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("status")("title") };
}

export default async function OnboardingStatusPage() {
  const person = await requirePerson({ role: "seller", returnTo: "/onboarding/status" });
  await followUpOnboarding(partner(), person.id);
  const state = await readOnboardingState(partner(), person.id);
  if (state.kind === "not_started") redirect("/onboarding");
  if (state.kind === "connected") redirect("/dashboard");
  return (
    <PageWords of={["status"]}>
      <OnboardingStatus initial={state} authorize={authorize} />
    </PageWords>
  );
}

import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { Onboarding } from "#components/partner/onboarding/onboarding-form.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { readOnboardingState } from "#lib/partner/onboarding/onboarding-status.ts";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { words } from "#lib/partner/words/words.ts";
import { sendOnboarding } from "./actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("onboarding")("title") };
}

type Props = { searchParams: Promise<{ again?: string | string[]; lost?: string | string[] }> };

export default async function OnboardingPage({ searchParams }: Props) {
  const { id, firstName, lastName, email, phone } = await requirePerson({ role: "seller", returnTo: "/onboarding" });
  const { kind } = await readOnboardingState(partner(), id);
  const { again, lost } = await searchParams;
  const mayBegin = kind === "not_started" || kind === "unanswered" || (kind === "rejected" && again !== undefined);
  if (!mayBegin) redirect("/onboarding/status");
  // The key discards the answers when another person has signed in since the form was opened.
  return (
    <PageWords of={["onboarding", "person"]}>
      <Onboarding
        key={id}
        person={{ id, firstName, lastName, email, phone }}
        isLost={lost !== undefined}
        send={sendOnboarding}
      />
    </PageWords>
  );
}

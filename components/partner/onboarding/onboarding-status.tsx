"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { OnboardingState } from "#lib/partner/onboarding/onboarding-state.ts";
import { LiveProvider } from "../live/live-provider.tsx";
import { useLiveQuery } from "../live/use-live-query.ts";
import { useNews } from "../live/use-news.ts";
import type { FormAction } from "../use-form-action.ts";
import { clearDraft } from "./draft.ts";
import { newsOfOnboarding } from "./onboarding-news.ts";
import { OnboardingOutcome } from "./onboarding-outcome.tsx";

type OnboardingStatusProps = { initial: OnboardingState; authorize: FormAction };

/** Waits for the service's decision and shows it as soon as it is there. */
export function OnboardingStatus(props: OnboardingStatusProps) {
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title="Your payment account" />
      <LiveProvider>
        <LiveStatus {...props} />
      </LiveProvider>
    </div>
  );
}

function LiveStatus({ initial, authorize }: OnboardingStatusProps) {
  const router = useRouter();
  const { data: state, isError } = useLiveQuery({
    path: "/onboarding/status/state",
    topics: ["onboarding", "user"],
    initial,
    isOpen: mayChange,
  });
  const news = useNews(state, newsOfOnboarding);
  const isDecided = mayGoOn(state);
  useEffect(() => {
    if (isDecided) clearDraft();
  }, [isDecided]);
  // A refused request leaves nothing to wait for, and somebody who authorized in another tab is through.
  const isElsewhere = state.kind === "not_started" || state.kind === "connected";
  useEffect(() => {
    if (isElsewhere) router.refresh();
  }, [isElsewhere, router]);
  return (
    <div className="flex flex-col gap-6">
      <p role="status" className="sr-only">
        {news}
      </p>
      {isError ? (
        <Alert tone="warning" title={`We can't reach ${brandName} right now`}>
          This page shows the latest we have. We'll keep trying.
        </Alert>
      ) : null}
      <OnboardingOutcome state={state} authorize={authorize} />
    </div>
  );
}

// What was not answered may have arrived after all, and then the decision comes by itself; so it does when it was not told,
// and once the person has given what was asked for, perhaps in another tab.
function mayChange({ kind }: OnboardingState): boolean {
  return kind !== "approved" && kind !== "rejected" && kind !== "connected" && kind !== "not_started";
}

/** Whether the answers are of no more use: whoever is rejected, or has no answer yet, may have to send them again. */
function mayGoOn({ kind }: OnboardingState): boolean {
  return kind !== "waiting" && kind !== "unanswered" && kind !== "not_started" && kind !== "rejected";
}

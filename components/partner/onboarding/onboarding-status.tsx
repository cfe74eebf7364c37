"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { Alert } from "#components/ui/alert.tsx";
import type { OnboardingState } from "#lib/partner/onboarding/onboarding-state.ts";
import { QueryProvider } from "../query-provider.tsx";
import type { FormAction } from "../use-form-action.ts";
import { clearDraft } from "./draft.ts";
import { OnboardingOutcome } from "./onboarding-outcome.tsx";

type OnboardingStatusProps = { initial: OnboardingState; authorize: FormAction };

/** Waits for the service's decision, asking Harbor's own server about every second, and shows it as soon as it is there. */
export function OnboardingStatus(props: OnboardingStatusProps) {
  return (
    <QueryProvider>
      <LiveStatus {...props} />
    </QueryProvider>
  );
}

const refetchMs = 1000;

function LiveStatus({ initial, authorize }: OnboardingStatusProps) {
  const router = useRouter();
  const { data: state, isError } = useQuery({
    queryKey: ["onboarding-state"],
    queryFn: readState,
    initialData: initial,
    refetchInterval: ({ state: { data } }) => (data && mayChange(data) ? refetchMs : false),
  });
  // Only once the service has the details is the draft of no more use.
  const isSent = state.kind === "waiting" ? state.isSent : state.kind !== "unsent" && state.kind !== "not_started";
  useEffect(() => {
    if (isSent) clearDraft();
  }, [isSent]);
  // A refused request leaves nothing to wait for, and somebody who authorized in another tab is through.
  const isElsewhere = state.kind === "not_started" || state.kind === "connected";
  useEffect(() => {
    if (isElsewhere) router.refresh();
  }, [isElsewhere, router]);
  return (
    <div aria-live="polite" className="flex flex-col gap-6">
      {isError ? (
        <Alert tone="warning" title="We have lost touch for a moment">
          What you see is the last we know. We keep asking.
        </Alert>
      ) : null}
      <OnboardingOutcome state={state} authorize={authorize} />
    </div>
  );
}

// What was not answered may have arrived after all, and then the decision comes by itself.
function mayChange({ kind }: OnboardingState): boolean {
  return kind === "waiting" || kind === "unsent";
}

async function readState(): Promise<OnboardingState> {
  const response = await fetch("/onboarding/status/state", { cache: "no-store" });
  if (!response.ok) throw new Error(`Harbor answered ${response.status}.`);
  return response.json();
}

"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useEffect } from "react";
import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Card } from "#components/ui/card.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { OnboardingState } from "#lib/partner/onboarding/onboarding-status.ts";
import { FormProblems } from "../form-problems.tsx";
import { LiveProvider } from "../live/live-provider.tsx";
import { useAnnouncement, useLiveQuery } from "../live/use-live-query.ts";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { clearDraft } from "./draft.ts";

type OnboardingStatusProps = { initial: OnboardingState; authorize: FormAction };

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
  const news = useAnnouncement(state, onboardingAnnouncement);
  const isDecided = mayGoOn(state);
  useEffect(() => {
    if (isDecided) clearDraft();
  }, [isDecided]);
  // A refused request leaves nothing to wait for; another tab may have authorized.
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

// An unanswered request may have arrived, and a decision may come without being
// requested here.
function mayChange({ kind }: OnboardingState): boolean {
  return kind !== "approved" && kind !== "rejected" && kind !== "connected" && kind !== "not_started";
}

/** Whether the draft can be deleted: rejected or unanswered people may need it again. */
function mayGoOn({ kind }: OnboardingState): boolean {
  return kind !== "waiting" && kind !== "unanswered" && kind !== "not_started" && kind !== "rejected";
}

const sentences: Record<OnboardingState["kind"], string> = {
  waiting: "We're checking your details.",
  unanswered: "We don't know whether your details arrived.",
  offered: "Please continue at our payment service.",
  approved: "You're approved.",
  retry: "Some details don't match.",
  document: "A photo ID is needed.",
  rejected: "We couldn't confirm your details.",
  connected: "",
  not_started: "",
};

/** Announces a changed state. */
export function onboardingAnnouncement(before: OnboardingState, now: OnboardingState): string {
  return before.kind === now.kind ? "" : sentences[now.kind];
}

export function OnboardingOutcome({ state, authorize }: { state: OnboardingState; authorize: FormAction }) {
  switch (state.kind) {
    case "waiting":
      return (
        <Card title="We're checking your details" actions={<StatusBadge tone="info">Pending</StatusBadge>}>
          <p>
            Our payment service compares what you sent with public records. Most people hear back within seconds.
            Sometimes a person takes a closer look, which takes longer.
          </p>
          <p className="mt-3 text-ink-soft">
            Sent <RelativeTime at={state.since} />. This page updates by itself. You can also come back later.
          </p>
        </Card>
      );
    case "unanswered":
      return (
        <Card
          title="We don't know whether your details arrived"
          actions={<StatusBadge tone="warning">Not confirmed</StatusBadge>}
        >
          <p>
            We sent your details, but our payment service didn't tell us whether they arrived. Please send them again.
            It's safe to send them twice.
          </p>
          <ButtonLink href="/onboarding" className="mt-6">
            Send them again
          </ButtonLink>
        </Card>
      );
    case "offered":
      return (
        <NextStep
          title="Please continue at our payment service"
          badge={<StatusBadge tone="info">Unknown</StatusBadge>}
          authorize={authorize}
        >
          Our payment service has your details but hasn't shared its decision with us. You'll see it on its own page and
          then come right back. If it's still deciding, come back here later.
        </NextStep>
      );
    case "approved":
      return (
        <NextStep
          title="You're approved"
          badge={<StatusBadge tone="success">Approved</StatusBadge>}
          authorize={authorize}
        >
          One step is left: allow {brandName} to show your payment account and to pay you. You do that on our payment
          service's own page and then come right back.
        </NextStep>
      );
    case "retry":
      return (
        <NextStep
          title="Some details don't match"
          badge={<StatusBadge tone="warning">Check again</StatusBadge>}
          authorize={authorize}
        >
          Your date of birth or Social Security number may have a wrong digit. Our payment service will ask you for both
          again on its own page.
        </NextStep>
      );
    case "document":
      return (
        <NextStep
          title="A photo ID is needed"
          badge={<StatusBadge tone="warning">Document needed</StatusBadge>}
          authorize={authorize}
        >
          Public records weren't enough to confirm who you are. Our payment service will ask you for a photo of your ID
          on its own page.
        </NextStep>
      );
    case "rejected":
      return <Rejected reasons={state.reasons} />;
    case "not_started":
    case "connected":
      return <p role="status">One moment.</p>;
  }
}

type NextStepProps = { title: string; badge: ReactNode; authorize: FormAction; children: ReactNode };

function NextStep({ title, badge, authorize, children }: NextStepProps) {
  const { state, run } = useFormAction(authorize);
  return (
    <Card title={title} actions={badge}>
      <p>{children}</p>
      <form action={run} className="mt-6 flex flex-col gap-4">
        <FormProblems {...state} isShort />
        <SubmitButton size="lg" className="self-start" pendingLabel="One moment">
          Continue to authorize
        </SubmitButton>
      </form>
    </Card>
  );
}

function Rejected({ reasons }: { reasons: { code: string; message: string }[] }) {
  return (
    <Card title="We couldn't confirm your details" actions={<StatusBadge tone="danger">Rejected</StatusBadge>}>
      <p>
        Our payment service can't open a payment account with the details you sent.{" "}
        {reasons.length === 0 ? "It gave no reason." : "It gave this reason:"}
      </p>
      {reasons.length > 0 ? (
        <ul className="mt-3 list-disc pl-6">
          {reasons.map(({ code, message }) => (
            <li key={code}>{message}</li>
          ))}
        </ul>
      ) : null}
      <p className="mt-3 text-ink-soft">Usually it's just a typo. Your shop at {brandName} isn't affected.</p>
      <ButtonLink href="/onboarding?again=yes" className="mt-6">
        Check my details and try again
      </ButtonLink>
    </Card>
  );
}

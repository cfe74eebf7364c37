"use client";

import type { ReactNode } from "react";
import { Alert } from "#components/ui/alert.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Card } from "#components/ui/card.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { OnboardingState } from "#lib/partner/onboarding/onboarding-state.ts";
import { type FormAction, useFormAction } from "../use-form-action.ts";

/** What the service made of somebody's details, in plain words, with the one thing to do next. */
export function OnboardingOutcome({ state, authorize }: { state: OnboardingState; authorize: FormAction }) {
  switch (state.kind) {
    case "waiting":
      return (
        <Card title="We are checking your details" actions={<StatusBadge tone="info">Pending</StatusBadge>}>
          <p>
            Our payment service compares what you sent with public records. Most people hear back within seconds; now
            and then somebody has a closer look.
          </p>
          <p className="mt-3 text-ink-soft">
            Sent <RelativeTime at={state.since} />. This page moves on by itself, and you may come back later.
          </p>
        </Card>
      );
    case "unsent":
      return (
        <Card title="We did not hear back" actions={<StatusBadge tone="warning">Not confirmed</StatusBadge>}>
          <p>
            Our payment service did not answer when we sent your details, so we do not know whether they arrived. Please
            send them again; it does no harm if they did.
          </p>
          <ButtonLink href="/onboarding" className="mt-6">
            Send it again
          </ButtonLink>
        </Card>
      );
    case "approved":
      return (
        <NextStep
          title="You are approved"
          badge={<StatusBadge tone="success">Approved</StatusBadge>}
          {...{ authorize }}
        >
          One step is left: allow Harbor to show your payout account and to pay into it. You do that on our payment
          service's own page and come right back.
        </NextStep>
      );
    case "retry":
      return (
        <NextStep
          title="Some details do not match"
          badge={<StatusBadge tone="warning">Check again</StatusBadge>}
          {...{ authorize }}
        >
          Perhaps a digit of your date of birth or social security number is wrong. Our payment service asks you for
          them once more on its own page.
        </NextStep>
      );
    case "document":
      return (
        <NextStep
          title="A photo ID is needed"
          badge={<StatusBadge tone="warning">Document needed</StatusBadge>}
          {...{ authorize }}
        >
          Public records were not enough to confirm who you are. Our payment service asks you for a photo of your ID on
          its own page.
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
  const { trouble, run } = useFormAction(authorize);
  return (
    <Card title={title} actions={badge}>
      <p>{children}</p>
      <form action={run} className="mt-6 flex flex-col gap-4">
        {trouble ? <Alert tone="danger">{trouble}</Alert> : null}
        <SubmitButton size="lg" className="self-start" pendingLabel="One moment">
          Continue to authorize
        </SubmitButton>
      </form>
    </Card>
  );
}

function Rejected({ reasons }: { reasons: { code: string; message: string }[] }) {
  return (
    <Card title="We could not confirm your details" actions={<StatusBadge tone="danger">Rejected</StatusBadge>}>
      <p>
        Our payment service cannot open a payout account with what you sent.{" "}
        {reasons.length === 0 ? "It gave no reason." : "It gave this reason:"}
      </p>
      {reasons.length > 0 ? (
        <ul className="mt-3 list-disc pl-6">
          {reasons.map(({ code, message }) => (
            <li key={code}>{message}</li>
          ))}
        </ul>
      ) : null}
      <p className="mt-3 text-ink-soft">A slip of the pen is the usual cause. Your shop at Harbor is not affected.</p>
      <ButtonLink href="/onboarding?again=yes" className="mt-6">
        Check my details and try again
      </ButtonLink>
    </Card>
  );
}

"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Card } from "#components/ui/card.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { OnboardingState } from "#lib/partner/onboarding/onboarding-status.ts";
import { useWords } from "#use-words";
import { ActionForm } from "../action-form.tsx";
import { FormProblems } from "../form-problems.tsx";
import { LiveProvider } from "../live/live-provider.tsx";
import { NoContact } from "../live/no-contact.tsx";
import { useAnnouncement, useLiveQuery } from "../live/use-live-query.ts";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { clearDraft } from "./draft.ts";

type OnboardingStatusProps = { initial: OnboardingState; authorize: FormAction };

export function OnboardingStatus(props: OnboardingStatusProps) {
  const t = useWords("status");
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("title")} />
      <LiveProvider>
        <LiveStatus {...props} />
      </LiveProvider>
    </div>
  );
}

function LiveStatus({ initial, authorize }: OnboardingStatusProps) {
  const t = useWords("status");
  const router = useRouter();
  const { data: state, isError } = useLiveQuery({
    path: "/onboarding/status/state",
    topics: ["onboarding", "user"],
    initial,
    isOpen: mayChange,
  });
  const news = useAnnouncement(state, (before, now) =>
    before.kind === now.kind || now.kind === "not_started" || now.kind === "connected" ? "" : t(`${now.kind}.news`),
  );
  const isDecided = canContinue(state);
  useEffect(() => {
    if (isDecided) clearDraft();
  }, [isDecided]);
  // After a refused request there is nothing to wait for; or another tab authorized.
  const isElsewhere = state.kind === "not_started" || state.kind === "connected";
  useEffect(() => {
    if (isElsewhere) router.refresh();
  }, [isElsewhere, router]);
  return (
    <div className="flex flex-col gap-6">
      <p role="status" className="sr-only">
        {news}
      </p>
      {isError ? <NoContact /> : null}
      <OnboardingOutcome state={state} authorize={authorize} />
    </div>
  );
}

// An unanswered request may have arrived, and a decision can come without a request from here.
function mayChange({ kind }: OnboardingState): boolean {
  return kind !== "approved" && kind !== "rejected" && kind !== "connected" && kind !== "not_started";
}

/** Whether the draft can be deleted: rejected or unanswered people might need it again. */
function canContinue({ kind }: OnboardingState): boolean {
  return kind !== "waiting" && kind !== "unanswered" && kind !== "not_started" && kind !== "rejected";
}

export function OnboardingOutcome({ state, authorize }: { state: OnboardingState; authorize: FormAction }) {
  const t = useWords("status");
  switch (state.kind) {
    case "waiting":
      return (
        <Card title={t("waiting.title")} actions={<StatusBadge tone="info">{t("waiting.badge")}</StatusBadge>}>
          <p>{t("waiting.text")}</p>
          <p className="mt-3 text-ink-soft">
            {t.rich("waiting.sent", { time: () => <RelativeTime at={state.since} /> })}
          </p>
        </Card>
      );
    case "unanswered":
      return (
        <Card title={t("unanswered.title")} actions={<StatusBadge tone="warning">{t("unanswered.badge")}</StatusBadge>}>
          <p>{t("unanswered.text")}</p>
          <ButtonLink href="/onboarding" className="mt-6">
            {t("unanswered.action")}
          </ButtonLink>
        </Card>
      );
    case "offered":
    case "approved":
    case "retry":
    case "document":
      return <NextStep kind={state.kind} authorize={authorize} />;
    case "rejected":
      return <Rejected reasons={state.reasons} />;
    case "not_started":
    case "connected":
      return <p role="status">{t("oneMoment")}</p>;
  }
}

const tones = { offered: "info", approved: "success", retry: "warning", document: "warning" } as const;

function NextStep({ kind, authorize }: { kind: keyof typeof tones; authorize: FormAction }) {
  const t = useWords("status");
  const { state, run } = useFormAction(authorize);
  return (
    <Card title={t(`${kind}.title`)} actions={<StatusBadge tone={tones[kind]}>{t(`${kind}.badge`)}</StatusBadge>}>
      <p>{t(`${kind}.text`)}</p>
      <ActionForm action={run} className="mt-6 flex flex-col gap-4">
        <FormProblems {...state} isShort />
        <SubmitButton size="lg" className="self-start" pendingLabel={t("pending")}>
          {t("continue")}
        </SubmitButton>
      </ActionForm>
    </Card>
  );
}

function Rejected({ reasons }: { reasons: { code: string; message: string }[] }) {
  const t = useWords("status.rejected");
  return (
    <Card title={t("title")} actions={<StatusBadge tone="danger">{t("badge")}</StatusBadge>}>
      <p>
        {t("text")} {reasons.length === 0 ? t("noReason") : t("reasons", { count: reasons.length })}
      </p>
      {reasons.length > 0 ? (
        <ul className="mt-3 list-disc pl-6">
          {reasons.map(({ code, message }) => (
            // The service's own words, in English.
            <li key={`${code} ${message}`} lang="en">
              {message}
            </li>
          ))}
        </ul>
      ) : null}
      <p className="mt-3 text-ink-soft">{t("note")}</p>
      <ButtonLink href="/onboarding?again=yes" className="mt-6">
        {t("action")}
      </ButtonLink>
    </Card>
  );
}

import type { ReactNode } from "react";
import { buttonStyle } from "#components/ui/button-style.ts";
import { Card } from "#components/ui/card.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { VisitView } from "#lib/service/operations/visits/read-visit.ts";
import type { ReadableMessage } from "#lib/service/providers.ts";
import { ConsentStep } from "./consent-step.tsx";
import { FillableCode, FillableDocument, FillableRetry } from "./sandbox/fillable-steps.tsx";
import { SandboxPhone } from "./sandbox-phone.tsx";
import { DocumentStep, RetryStep } from "./submission-steps.tsx";
import { VerificationStep } from "./verification-step.tsx";
import { type VisitActions, VisitForm } from "./visit-form.tsx";

export type VisitStepProps = {
  visitId: string;
  view: VisitView;
  /** Texts to the visit's phone, newest last; undefined without a sandbox phone. */
  messages: ReadableMessage[] | undefined;
  logo: string | undefined;
  siteUrl: string;
  actions: VisitActions;
};

export function VisitStep({ visitId, view, messages, logo, siteUrl, actions }: VisitStepProps) {
  switch (view.kind) {
    case "verification_code":
      return (
        <>
          <VerificationStep visitId={visitId} view={view} actions={actions} />
          {messages ? <SandboxPhone visitId={visitId} messages={messages} number={view.maskedPhone} /> : null}
          <FillableCode visitId={visitId} />
        </>
      );
    case "retry":
      return (
        <>
          <RetryStep visitId={visitId} view={view} actions={actions} />
          <FillableRetry />
        </>
      );
    case "document":
      return (
        <>
          <DocumentStep visitId={visitId} view={view} actions={actions} />
          <FillableDocument />
        </>
      );
    case "consent":
      return <ConsentStep visitId={visitId} view={view} logo={logo} siteUrl={siteUrl} actions={actions} />;
    case "not_permitted":
      return <NotPermitted visitId={visitId} view={view} actions={actions} />;
    case "unknown":
      return (
        <VisitNotice title="This page isn’t available in this browser">
          <p>It was opened in another browser, or too long ago.</p>
          <p>Go back to the app that sent you and start again.</p>
        </VisitNotice>
      );
    case "withdrawn":
      return (
        <VisitNotice title={`You can’t connect ${view.clientName} right now`}>
          <p>{view.clientName} isn’t available here at the moment. You can close this page.</p>
        </VisitNotice>
      );
    case "finished":
      return (
        <VisitNotice title="You’ve already answered">
          <p>We’ve saved your decision.</p>
          <p>You can close this page or go back to {view.clientName}.</p>
        </VisitNotice>
      );
    case "authorized":
      return (
        <VisitNotice
          title={`You’ve authorized ${view.clientName}`}
          action={
            <VisitForm visitId={visitId} action={actions.authorize}>
              <SubmitButton size="lg">Continue to {view.clientName}</SubmitButton>
            </VisitForm>
          }
        >
          <p>Continue to {view.clientName} to finish connecting.</p>
        </VisitNotice>
      );
    case "cancelled":
      return (
        <VisitNotice title={`You haven’t authorized ${view.clientName}`} action={<ReturnLink {...view} />}>
          <p>You can go back to {view.clientName} and start again.</p>
        </VisitNotice>
      );
    case "expired":
      return (
        <VisitNotice title="This page has expired" action={<ReturnLink {...view} />}>
          <p>For your security, this page works for only a short time. Go back to {view.clientName} and start again.</p>
        </VisitNotice>
      );
  }
}

const titles: Record<VisitView["kind"], string> = {
  verification_code: "Check your phone",
  retry: "Check two details",
  document: "Upload a photo ID",
  consent: "Authorize",
  not_permitted: "You can’t connect",
  unknown: "Not available in this browser",
  withdrawn: "You can’t connect",
  finished: "Already answered",
  authorized: "Authorized",
  cancelled: "Not authorized",
  expired: "Expired",
};

/** The page's title. */
export function titleOfStep(view: VisitView): string {
  if (view.kind === "verification_code" && !view.isCodeSent) return "Verify your phone";
  return titles[view.kind];
}

function ReturnLink({ returnTo, clientName }: { returnTo: string; clientName: string }) {
  return (
    <a href={returnTo} className={buttonStyle("primary", "lg")}>
      Return to {clientName}
    </a>
  );
}

type NotPermittedProps = {
  visitId: string;
  view: Extract<VisitView, { kind: "not_permitted" }>;
  actions: VisitActions;
};

function NotPermitted({ visitId, view, actions }: NotPermittedProps) {
  const { clientName, status, reasons } = view;
  return (
    <VisitNotice
      title={status === "rejected" ? "We couldn’t open an account for you" : "Your account is suspended"}
      action={
        <VisitForm visitId={visitId} action={actions.cancel}>
          <SubmitButton size="lg">Return to {clientName}</SubmitButton>
        </VisitForm>
      }
    >
      <p>
        {status === "rejected"
          ? "We checked your details and couldn’t confirm your identity."
          : "You can’t authorize anything with it right now."}{" "}
        You can’t connect {clientName}.
      </p>
      {reasons.length > 0 ? (
        <ul className="list-disc pl-5">
          {reasons.map(({ code, message }) => (
            <li key={code}>{message}</li>
          ))}
        </ul>
      ) : null}
    </VisitNotice>
  );
}

function VisitNotice({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <Card>
      <h1 className="text-3xl">{title}</h1>
      <div className="mt-4 flex flex-col gap-3 text-ink-soft">{children}</div>
      {action ? <div className="mt-7">{action}</div> : null}
    </Card>
  );
}

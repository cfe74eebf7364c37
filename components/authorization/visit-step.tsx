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
  /** The texts of the visit's phone, newest last; undefined where there is no phone to show. */
  messages: ReadableMessage[] | undefined;
  /** The address of the client's logo, if it has one. */
  logo: string | undefined;
  siteUrl: string;
  actions: VisitActions;
};

/** The page of a visit at its current step. */
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
        <VisitNotice title="This page is not open in this browser">
          <p>It was opened in another browser, or too long ago. Nothing has been authorized from here.</p>
          <p>Go back to the application that sent you, and start again from there.</p>
        </VisitNotice>
      );
    case "finished":
      return (
        <VisitNotice title="This page has been answered already">
          <p>What you decided stands, and nothing more can be done here.</p>
          <p>You can close this page or go back to {view.clientName}.</p>
        </VisitNotice>
      );
    case "expired":
      return (
        <VisitNotice
          title="This page has expired"
          action={
            <a href={view.returnTo} className={buttonStyle("primary", "lg")}>
              Return to {view.clientName}
            </a>
          }
        >
          <p>For your safety it stays open for half an hour only. Nothing has been authorized.</p>
        </VisitNotice>
      );
  }
}

type NotPermittedProps = {
  visitId: string;
  view: Extract<VisitView, { kind: "not_permitted" }>;
  actions: VisitActions;
};

/** Tells a rejected or suspended person so, and leads back. */
function NotPermitted({ visitId, view, actions }: NotPermittedProps) {
  const { clientName, status, reasons } = view;
  return (
    <VisitNotice
      title={status === "rejected" ? "We could not open an account for you" : "Your account is suspended"}
      action={
        <VisitForm visitId={visitId} action={actions.cancel}>
          <SubmitButton size="lg">Return to {clientName}</SubmitButton>
        </VisitForm>
      }
    >
      <p>
        {status === "rejected"
          ? "We checked your details and could not confirm who you are."
          : "You cannot authorize anything with it right now."}{" "}
        {clientName} cannot be connected.
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

/** A page that only explains, with at most one thing to do below. */
function VisitNotice({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <Card>
      <h1 className="text-3xl">{title}</h1>
      <div className="mt-4 flex flex-col gap-3 text-ink-soft">{children}</div>
      {action ? <div className="mt-7">{action}</div> : null}
    </Card>
  );
}

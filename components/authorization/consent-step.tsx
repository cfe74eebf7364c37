import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { VisitView } from "#lib/service/operations/visits/read-visit.ts";
import { CancelForm, type VisitActions, VisitForm } from "./visit-form.tsx";

export type ConsentStepProps = {
  visitId: string;
  view: Extract<VisitView, { kind: "consent" }>;
  logo?: string;
  /** The base URL of the terms and privacy pages. */
  siteUrl: string;
  actions: VisitActions;
};

export function ConsentStep({ visitId, view, logo, siteUrl, actions }: ConsentStepProps) {
  const { clientName, redirectHost } = view;
  return (
    <Card>
      <ConsentHeader clientName={clientName} logo={logo} />
      <p className="eyebrow mt-5 text-ink-soft">{clientName} wants to connect</p>
      <h1 className="mt-2 text-2xl sm:text-3xl">Connect {clientName} to your Plainbook account?</h1>

      {view.isBeingChecked ? <WaitingNotice /> : null}

      <h2 className="mt-5 text-lg">{clientName} can</h2>
      <ul className="mt-2 flex flex-col gap-1.5">
        {permissionsOf(view).map((permission) => (
          <PermissionLine key={permission} mark="m2.5 8.5 3.5 3.5 7.5-8" text={permission} />
        ))}
      </ul>
      <h2 className="mt-4 text-lg">It can’t</h2>
      <ul className="mt-2 flex flex-col gap-1.5">
        {prohibitionsOf(view).map((prohibition) => (
          <PermissionLine key={prohibition} mark="m3.5 3.5 9 9m0-9-9 9" text={prohibition} isSoft />
        ))}
      </ul>

      <div className="mt-6 border-y border-line py-4">
        <DescriptionList
          items={[
            {
              term: "Your account",
              details: (
                <>
                  <p className="font-semibold">{view.personName}</p>
                  <p>{view.maskedPhone}</p>
                  <p>{view.maskedEmail}</p>
                </>
              ),
            },
          ]}
        />
      </div>

      <div className="ignore-double-click mt-6 flex flex-col gap-3">
        <VisitForm visitId={visitId} action={actions.authorize}>
          <SubmitButton size="lg" pendingLabel="Authorizing…" className="w-full">
            Authorize
          </SubmitButton>
        </VisitForm>
        <CancelForm visitId={visitId} action={actions.cancel} />
      </div>
      <p className="mt-5 text-sm text-ink-soft">
        We’ll take you back to <span className="wrap-anywhere">{redirectHost}</span> either way. You can disconnect
        there at any time. By authorizing, you accept Plainbook’s{" "}
        <a className="link" href={`${siteUrl}/terms`} target="_blank" rel="noopener">
          terms
        </a>
        . To learn what we store about you, read{" "}
        <a className="link" href={`${siteUrl}/privacy`} target="_blank" rel="noopener">
          our privacy page
        </a>
        .
      </p>
    </Card>
  );
}

function PermissionLine({ mark, text, isSoft = false }: { mark: string; text: string; isSoft?: boolean }) {
  return (
    <li className={`flex gap-3 ${isSoft ? "text-ink-soft" : ""}`}>
      <svg
        viewBox="0 0 16 16"
        className={`mt-1.5 size-4 shrink-0 ${isSoft ? "" : "text-accent"}`}
        aria-hidden="true"
        fill="none"
      >
        <path d={mark} stroke="currentColor" strokeWidth="1.8" />
      </svg>
      {text}
    </li>
  );
}

// Keep in sync with what such a user's token can do (lib/service/http/api).
function permissionsOf({ isBusiness }: ConsentStepProps["view"]): string[] {
  const reading = ["see your name, email address, phone number, and status", "see your accounts and their balances"];
  return isBusiness
    ? [...reading, "pay people from your business’s accounts", "see the payments it made for you"]
    : [...reading, "send money to your wallet", "see the money you receive"];
}

function prohibitionsOf({ isBusiness }: ConsentStepProps["view"]): string[] {
  const seeing = "see your Social Security number or date of birth here";
  return isBusiness ? [seeing] : ["take money out of your wallet", seeing];
}

/** Both logos; a client without one gets its initial. */
function ConsentHeader({ clientName, logo }: { clientName: string; logo: string | undefined }) {
  return (
    <div className="flex items-center gap-3" aria-hidden="true">
      {logo ? (
        // biome-ignore lint/performance/noImgElement: an SVG of our own has no sizes to choose from
        <img src={logo} alt="" width="48" height="48" className="size-12" />
      ) : (
        <span className="grid size-12 place-items-center rounded-card border border-line-strong bg-sunken font-display text-2xl">
          {[...clientName][0]}
        </span>
      )}
      <svg
        viewBox="0 0 28 12"
        className="h-3 w-7 text-ink-soft"
        aria-hidden="true"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
      >
        <path d="M1 6h26M22 1l5 5-5 5M6 1 1 6l5 5" />
      </svg>
      {/* biome-ignore lint/performance/noImgElement: as above */}
      <img src="/service/icon.svg" alt="" width="48" height="48" className="size-12" />
    </div>
  );
}

function WaitingNotice() {
  return (
    <div className="mt-5">
      <Alert tone="success" title="We’re checking your details">
        You don’t have to wait here.
      </Alert>
    </div>
  );
}

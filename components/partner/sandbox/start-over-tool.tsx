"use client";

import { brandName } from "#brand/name.ts";
import { ToolButton } from "#components/sandbox/tool-button.tsx";
import { ToolSection } from "#components/sandbox/tool-section.tsx";
import { clearDraft } from "../onboarding/draft.ts";
import { ServiceName } from "../service-name.tsx";
import type { FormAction } from "../use-form-action.ts";
import { ToolForm } from "./tool-form.tsx";

type StartOverToolProps = { isSignedIn: boolean; freshPerson: FormAction; freshDemo: FormAction };

/** A fresh person in this browser, or a fresh demo; each says what goes and what stays. */
export function StartOverTool({ isSignedIn, freshPerson, freshDemo }: StartOverToolProps) {
  return (
    <ToolSection title="Start over">
      <p className="text-ink-soft">
        As a new person: signs you out and forgets who this browser was. Nothing is deleted.
      </p>
      <ToolForm action={freshPerson}>
        <span className="contents" onClickCapture={clearDraft}>
          <ToolButton>New person</ToolButton>
        </span>
      </ToolForm>
      {isSignedIn ? (
        <details className="max-w-full">
          <summary className="min-h-9 py-1.5 font-semibold">Clear the demo</summary>
          <p className="mb-2 text-ink-soft">
            Deletes all that {brandName} keeps: everybody who signed up, sign-ins, texts, onboardings, connections,
            payments, webhooks. Connections end at <ServiceName /> too. Stays: Olive, Nils and Ada, who are connected
            again, the clocks, and the records of <ServiceName />.
          </p>
          <ToolForm action={freshDemo}>
            <ToolButton>Delete all of this</ToolButton>
          </ToolForm>
        </details>
      ) : null}
    </ToolSection>
  );
}

"use client";

import { ToolButton } from "#components/sandbox/tool-button.tsx";
import { ToolSection } from "#components/sandbox/tool-section.tsx";
import type { Waiting } from "#lib/partner/sandbox/waiting.ts";
import type { FormAction } from "../use-form-action.ts";
import { ToolForm } from "./tool-form.tsx";

const ofPeople = [
  ["approved", "Approve"],
  ["rejected", "Reject"],
  ["retry", "Ask again"],
  ["document", "Photo ID"],
] as const;
const ofTransfers = [
  ["paid", "Paid"],
  ["failed", "Failed"],
] as const;

type DecideToolProps = { waiting: Waiting[]; action: FormAction; onDone: () => void };

/** Decides by hand what waits: a seller's own details, or payments. */
export function DecideTool({ waiting, action, onDone }: DecideToolProps) {
  return (
    <ToolSection title="Decide by hand">
      {waiting.length === 0 ? <p className="text-ink-soft">Nothing waits for a decision.</p> : null}
      {waiting.map(({ id, kind, what }) => (
        <div key={id} className="flex flex-col gap-2">
          <p className="text-ink-soft">{what}</p>
          <ToolForm action={action} onDone={onDone}>
            <input type="hidden" name="id" value={id} />
            {(kind === "transfer" ? ofTransfers : ofPeople).map(([decision, label]) => (
              <ToolButton key={decision} name="decision" value={decision}>
                {label}
              </ToolButton>
            ))}
          </ToolForm>
        </div>
      ))}
    </ToolSection>
  );
}

"use client";

import { useEffect, useState } from "react";
import { aheadOf, jumps } from "#components/sandbox/time-jumps.ts";
import { ToolButton, ToolSection } from "#components/sandbox/tools.tsx";
import type { VisitControls } from "#lib/service/providers.ts";
import { VisitForm } from "../visit-form.tsx";

type Action = (form: FormData) => Promise<void>;
type VisitPanelProps = { visitId: string; decide: Action; jump: Action };

const labels = { approved: "Approve", rejected: "Reject", retry: "Ask again", document: "Photo ID" };

export function VisitPanel({ visitId, decide, jump }: VisitPanelProps) {
  const [controls, load] = useControls(visitId);
  if (!controls) return <p className="min-h-40 text-sm">Loading…</p>;
  const { clientName, decisions, secondsAhead } = controls;
  const then = (act: Action) => async (form: FormData) => {
    await act(form);
    await load();
  };
  return (
    <div className="grid gap-x-8 gap-y-6 sm:grid-cols-3">
      <ToolSection title="Review decision">
        <p className="text-ink-soft">{decisions.length > 0 ? "Override the screening:" : "No decision is pending."}</p>
        <VisitForm visitId={visitId} action={then(decide)} className="flex flex-wrap gap-2">
          {decisions.map((decision) => (
            <ToolButton key={decision} name="decision" value={decision}>
              {labels[decision]}
            </ToolButton>
          ))}
        </VisitForm>
      </ToolSection>
      <ToolSection title="Move time forward">
        <p className="text-ink-soft">
          Plainbook’s clock for {clientName}: {aheadOf(secondsAhead)}. To sync {clientName}’s own clock, use{" "}
          {clientName}’s bar.
        </p>
        <VisitForm visitId={visitId} action={then(jump)} className="flex flex-wrap gap-2">
          {jumps.map(([seconds, label]) => (
            <ToolButton key={seconds} name="seconds" value={String(seconds)}>
              {label}
            </ToolButton>
          ))}
        </VisitForm>
      </ToolSection>
      <ToolSection title="Switch person or start over">
        <p className="text-ink-soft">Cancel to go back to {clientName}; its bar does both.</p>
      </ToolSection>
    </div>
  );
}

function useControls(visitId: string): [VisitControls | undefined, () => Promise<void>] {
  const [controls, setControls] = useState<VisitControls>();
  const [load] = useState(() => async () => {
    const answer = await fetch(`/login/oauth/authorize/${visitId}/sandbox`, { cache: "no-store" }).catch(
      () => undefined,
    );
    if (answer?.ok) setControls(await answer.json());
  });
  useEffect(() => void load(), [load]);
  return [controls, load];
}

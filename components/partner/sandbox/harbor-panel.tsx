"use client";

import { useQuery } from "@tanstack/react-query";
import { brandName } from "#brand/name.ts";
import { aheadOf, jumps } from "#components/sandbox/time-jumps.ts";
import { ToolButton, ToolSection } from "#components/sandbox/tools.tsx";
import type { BarContent } from "#lib/partner/sandbox/bar-content.ts";
import type { Clocks } from "#lib/partner/sandbox/clocks.ts";
import type { PendingDecision } from "#lib/partner/sandbox/decide.ts";
import { QueryProvider } from "../live/query-provider.tsx";
import { clearDraft } from "../onboarding/draft.ts";
import { ServiceName } from "../service-name.tsx";
import type { FormAction } from "../use-form-action.ts";
import { ToolForm } from "./tool-form.tsx";

const refetchMs = 2000;

export function HarborPanel({ actions }: { actions: SandboxActions }) {
  return (
    <QueryProvider>
      <Tools actions={actions} />
    </QueryProvider>
  );
}

function Tools({ actions }: { actions: SandboxActions }) {
  const { data, refetch } = useQuery({ queryKey: ["sandbox-bar"], queryFn: readContent, refetchInterval: refetchMs });
  if (!data) return <p className="min-h-40 text-sm">One moment.</p>;
  const { current, others, waiting, clocks } = data;
  return (
    <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-4">
      <SwitchPersonTool current={current} others={others} action={actions.switchPerson} />
      {current ? (
        <>
          <DecideTool waiting={waiting} action={actions.decide} onDone={() => void refetch()} />
          <ClockTool clocks={clocks} jump={actions.jump} reset={actions.resetClocks} onDone={() => void refetch()} />
        </>
      ) : null}
      <StartOverTool isSignedIn={current !== null} freshPerson={actions.freshPerson} freshDemo={actions.freshDemo} />
    </div>
  );
}

async function readContent(): Promise<BarContent> {
  const response = await fetch("/api/sandbox/bar", { cache: "no-store" });
  if (!response.ok) throw new Error(`The sandbox bar was answered with ${response.status}.`);
  return response.json();
}

type BecomeToolProps = Pick<BarContent, "current" | "others"> & { action: FormAction };

export function SwitchPersonTool({ current, others, action }: BecomeToolProps) {
  return (
    <ToolSection title="Switch person">
      <p className="text-ink-soft">
        {current
          ? `You're ${current.firstName} ${current.lastName}, ${current.role}. Switching signs you out.`
          : "You're not signed in."}
      </p>
      <ToolForm action={action}>
        {others.map(({ email, firstName, lastName, role }) => (
          <ToolButton key={email} name="email" value={email}>
            {firstName} {lastName}, {role}
          </ToolButton>
        ))}
      </ToolForm>
    </ToolSection>
  );
}

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

type DecideToolProps = { waiting: PendingDecision[]; action: FormAction; onDone: () => void };

export function DecideTool({ waiting, action, onDone }: DecideToolProps) {
  return (
    <ToolSection title="Decide by hand">
      {waiting.length === 0 ? <p className="text-ink-soft">There's nothing to decide.</p> : null}
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

type ClockToolProps = { clocks: Clocks; jump: FormAction; reset: FormAction; onDone: () => void };

export function ClockTool({ clocks: { harborSeconds, serviceSeconds }, jump, reset, onDone }: ClockToolProps) {
  const agree = serviceSeconds === harborSeconds;
  return (
    <ToolSection title="Jump ahead in time">
      <p className="text-ink-soft">
        {agree ? (
          `Both clocks: ${aheadOf(harborSeconds)}.`
        ) : (
          <>
            {brandName}: {aheadOf(harborSeconds)}. <ServiceName />:{" "}
            {serviceSeconds === undefined ? "unknown" : aheadOf(serviceSeconds)}.
          </>
        )}
      </p>
      <ToolForm action={jump} onDone={onDone}>
        {jumps.map(([seconds, label]) => (
          <ToolButton key={seconds} name="seconds" value={String(seconds)}>
            {label}
          </ToolButton>
        ))}
        {agree || serviceSeconds === undefined ? null : (
          <ToolButton name="seconds" value="0">
            Sync {brandName}
          </ToolButton>
        )}
      </ToolForm>
      {harborSeconds > 0 || serviceSeconds ? (
        <ToolForm action={reset} onDone={onDone}>
          <ToolButton>Back to real time (ends every connection)</ToolButton>
        </ToolForm>
      ) : null}
    </ToolSection>
  );
}

type StartOverToolProps = { isSignedIn: boolean; freshPerson: FormAction; freshDemo: FormAction };

export function StartOverTool({ isSignedIn, freshPerson, freshDemo }: StartOverToolProps) {
  return (
    <ToolSection title="Start over">
      <p className="text-ink-soft">
        As a new person: signs you out and forgets who used this browser. Nothing is deleted.
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
            Deletes everything in {brandName}: everyone who signed up, sign-ins, texts, onboardings, connections,
            payments and webhooks. Connections end at <ServiceName />, too. Olive, Nils and Ada stay and are connected
            again. The clocks and the records of <ServiceName /> stay as well.
          </p>
          <ToolForm action={freshDemo}>
            <ToolButton>Delete all of this</ToolButton>
          </ToolForm>
        </details>
      ) : null}
    </ToolSection>
  );
}

/** The actions in the panel of Harbor's sandbox bar. */
export type SandboxActions = Record<
  "switchPerson" | "decide" | "jump" | "resetClocks" | "freshPerson" | "freshDemo",
  FormAction
>;

"use client";

import { brandName } from "#brand/name.ts";
import { aheadOf, jumps } from "#components/sandbox/time-jumps.ts";
import { ToolButton } from "#components/sandbox/tool-button.tsx";
import { ToolSection } from "#components/sandbox/tool-section.tsx";
import type { Clocks } from "#lib/partner/sandbox/clocks.ts";
import { ServiceName } from "../service-name.tsx";
import type { FormAction } from "../use-form-action.ts";
import { ToolForm } from "./tool-form.tsx";

type ClockToolProps = { clocks: Clocks; jump: FormAction; reset: FormAction; onDone: () => void };

/** Jumps with both clocks, so that what lives for days ends now. */
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
            {serviceSeconds === undefined ? "not known" : aheadOf(serviceSeconds)}.
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
            Bring {brandName} to it
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

"use client";

import { ToolButton } from "#components/sandbox/tool-button.tsx";
import { ToolSection } from "#components/sandbox/tool-section.tsx";
import type { BarContent } from "#lib/partner/sandbox/bar-content.ts";
import type { FormAction } from "../use-form-action.ts";
import { ToolForm } from "./tool-form.tsx";

type BecomeToolProps = Pick<BarContent, "current" | "others"> & { action: FormAction };

/** Somebody else, in one click: a real sign-in, which ends the session of whoever is here. */
export function BecomeTool({ current, others, action }: BecomeToolProps) {
  return (
    <ToolSection title="Be somebody else">
      <p className="text-ink-soft">
        {current
          ? `You are ${current.firstName} ${current.lastName}, ${current.role}. That sign-in ends.`
          : "Nobody is signed in."}
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

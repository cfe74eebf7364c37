import type { ReactNode } from "react";
import { type Tone, toneGround } from "./tone.ts";
import { ToneIcon } from "./tone-icon.tsx";

export type AlertProps = { tone: Exclude<Tone, "neutral">; title?: ReactNode; children?: ReactNode };

/** Screen readers announce danger and warning immediately, other tones politely. */
export function Alert({ tone, title, children }: AlertProps) {
  return (
    <div
      role={tone === "danger" || tone === "warning" ? "alert" : "status"}
      className={`flex gap-3 rounded-card p-4 sm:p-5 ${toneGround[tone]}`}
    >
      <ToneIcon tone={tone} className="mt-0.5 size-5" />
      <div className="min-w-0">
        {title ? <p className="font-semibold">{title}</p> : null}
        {children ? <div className="text-ink">{children}</div> : null}
      </div>
    </div>
  );
}

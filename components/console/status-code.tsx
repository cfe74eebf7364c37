import { toneGround } from "#components/ui/tone.ts";
import { toneOfStatus } from "./describe-event.ts";

/** The HTTP status of an answer, or that there was none, with the reason for it. */
export function StatusCode({ status, reason }: { status: number | null; reason?: string | null }) {
  return (
    <span
      className={`rounded-badge px-2 py-0.5 font-mono text-xs font-semibold break-words ${toneGround[toneOfStatus(status)]}`}
    >
      {[status ?? "no answer", reason].filter(Boolean).join(" ")}
    </span>
  );
}

import { StatusBadge } from "#components/ui/status-badge.tsx";
import { type Tone, toneGround } from "#components/ui/tone.ts";
import { toneOfStatus } from "./describe-event.ts";

const tones: Record<string, Tone> = {
  pending: "info",
  retry: "warning",
  document: "warning",
  approved: "success",
  converted_to_user: "success",
  rejected: "danger",
  suspended: "danger",
  open: "info",
  finished: "success",
  expired: "neutral",
  live: "success",
  superseded: "neutral",
  spent: "neutral",
  revoked: "danger",
  processed: "success",
  failed: "danger",
  cancelled: "neutral",
  delivered: "success",
  kept: "success",
  broken: "danger",
  not_seen: "neutral",
};

/** A status exactly as it appears on the wire. */
export function WireStatus({ status }: { status: string }) {
  return (
    <StatusBadge tone={tones[status] ?? "neutral"}>
      <code className="font-mono text-xs">{status}</code>
    </StatusBadge>
  );
}

export function StatusCode({ status, reason }: { status: number | null; reason?: string | null }) {
  return (
    <span
      className={`rounded-badge px-2 py-0.5 font-mono text-xs font-semibold break-words ${toneGround[toneOfStatus(status)]}`}
    >
      {[status ?? "no answer", reason].filter(Boolean).join(" ")}
    </span>
  );
}

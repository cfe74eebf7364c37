import { StatusBadge } from "#components/ui/status-badge.tsx";
import type { Tone } from "#components/ui/tone.ts";

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

/** A status as it stands on the wire, word for word, because that is what a program reads. */
export function WireStatus({ status }: { status: string }) {
  return (
    <StatusBadge tone={tones[status] ?? "neutral"}>
      <code className="font-mono text-xs">{status}</code>
    </StatusBadge>
  );
}

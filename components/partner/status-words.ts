import type { Tone } from "#components/ui/tone.ts";
import type { Meaning } from "#lib/partner/routines/status-meaning.ts";
import type { RoutineState } from "#lib/partner/storage/schema.ts";

const tones: Record<string, Tone> = {
  approved: "success",
  completed: "success",
  processed: "success",
  open: "success",
  pending: "info",
  active: "info",
  submitting: "info",
  retry: "warning",
  document: "warning",
  suspended: "warning",
  unanswered: "warning",
  rejected: "danger",
  failed: "danger",
  refused: "danger",
};

/** The tone of any status; unknown ones are neutral. */
export function toneOfStatus(status: string | undefined): Tone {
  return tones[status ?? ""] ?? "neutral";
}

const meaningTones: Record<Meaning, Tone> = {
  open: "info",
  succeeded: "success",
  cancelled: "neutral",
  failed: "danger",
};

export function toneOfMeaning(meaning: Meaning): Tone {
  return meaningTones[meaning];
}

const stateTones: Record<RoutineState, Tone> = {
  ...meaningTones,
  submitting: "info",
  unanswered: "warning",
  missing: "warning",
  conflicting: "warning",
  refused: "danger",
};

/** The tone of a payment as a whole. */
export function toneOfState(state: RoutineState): Tone {
  return stateTones[state];
}

const words: Record<string, string> = {
  submitting: "Sending",
  unanswered: "Finding out",
  missing: "Not recognized",
  conflicting: "Needs your review",
  confirmed_arrived: "Confirmed: arrived",
  confirmed_not_arrived: "Confirmed: didn't arrive",
  retry: "Details don't match",
  document: "Needs a document",
  applied: "Applied",
  not_ours: "Not about this app",
  try_later: "Given up",
  no_reason: "No reason was given",
  account_closed: "The receiving account is closed",
  insufficient_funds: "Not enough money available",
  said_by_operator: "An operator checked and found that no payment was made",
};

/** A wire value as people read it; unknown ones lose their underscores. */
export function wordsOf(wire: string | null | undefined): string {
  if (wire === undefined || wire === null) return "Unknown";
  const plain = wire.replaceAll("_", " ");
  return words[wire] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}

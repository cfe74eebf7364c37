import type { Tone } from "#components/ui/tone.ts";

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

/** The tone of any status of the service or of Harbor; one that we do not know is neutral. */
export function toneOfStatus(status: string): Tone {
  return tones[status] ?? "neutral";
}

const words: Record<string, string> = {
  submitting: "Sending",
  unanswered: "Being found out",
  retry: "Needs another look",
  document: "Needs a document",
  account_closed: "The receiving account is closed",
  insufficient_funds: "Not enough money available",
};

/** A word of the wire as people read it: `account_closed` becomes a sentence, an unknown one loses its underscores. */
export function wordsOf(wire: string): string {
  const plain = wire.replaceAll("_", " ");
  return words[wire] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}

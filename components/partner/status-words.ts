import type { Tone } from "#components/ui/tone.ts";
import type { Meaning } from "#lib/partner/statuses.ts";
import type { RoutineState } from "#lib/partner/storage/schema.ts";
import type { Sentences } from "#lib/partner/words/catalog.ts";
import { useWords } from "#use-words";

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

/** The tone of a payment as a whole, by its state and, in a list, its status. */
export function toneOfState(state: RoutineState, status?: string | null): Tone {
  return status === "paid_twice" ? "warning" : stateTones[state];
}

/** A wire word for readers; an unknown one only loses its underscores. */
export function useStatusWords(): (wire: string | null | undefined) => string {
  const t = useWords("statuses");
  return (wire) => {
    if (wire === undefined || wire === null) return t("unknown");
    const known = `words.${wire}` as `words.${keyof Sentences["statuses"]["words"]}`;
    const plain = wire.replaceAll("_", " ");
    return t.has(known) ? t(known) : plain.charAt(0).toUpperCase() + plain.slice(1);
  };
}

import type { Tone } from "#components/ui/tone.ts";
import type { EntryDetails, EntryOutcome } from "#lib/partner/storage/inspector-entry.ts";

/** How an exchange ended, in a word or two: a status where there is one. What is not known is never called a failure. */
export function outcomeWords({ outcome, status }: EntryDetails): { text: string; tone: Tone } {
  const { tone, words } = outcomes[outcome];
  return {
    tone: outcome === "answered" && status !== 200 ? "warning" : tone,
    text: [status, words].filter(Boolean).join(" "),
  };
}

const outcomes: Record<EntryOutcome, { tone: Tone; words: string }> = {
  ok: { tone: "success", words: "" },
  not_understood: { tone: "warning", words: "answered, but…" },
  refused: { tone: "danger", words: "refused" },
  undecided: { tone: "info", words: "outcome unknown" },
  unknown: { tone: "info", words: "no answer: unknown" },
  not_sent: { tone: "warning", words: "not sent" },
  answered: { tone: "success", words: "" },
  accepted: { tone: "success", words: "accepted" },
  duplicate: { tone: "neutral", words: "duplicate" },
  turned_away: { tone: "danger", words: "refused" },
};

import type { Partner } from "../partner.ts";

/** What a word of the service means: `open` is under way, the others are ends. */
export type Meaning = "open" | "succeeded" | "cancelled" | "failed";

// The service's status words are not published. A word stands here when it can only be an end: one that may also be said of
// something under way ("sent", "executed", "approved", "error") is asked about again rather than believed.
const ends: [Meaning, string[]][] = [
  ["succeeded", ["completed", "complete", "processed", "settled", "succeeded", "success", "successful"]],
  ["succeeded", ["paid", "done", "finished", "cleared"]],
  ["cancelled", ["cancelled", "canceled", "voided", "aborted"]],
  ["failed", ["failed", "failure", "rejected", "declined", "denied", "refused", "bounced", "expired"]],
  ["failed", ["returned", "reversed"]],
];
const meanings = new Map(ends.flatMap(([meaning, words]) => words.map((word) => [word, meaning] as const)));

/** What a status means, whatever its letters' case; every word that is no known end is under way. */
export function meaningOf(partner: Partner, status: string): Meaning {
  const word = normalized(status);
  return partner.config.statusMeanings.get(word) ?? meanings.get(word) ?? "open";
}

/** The status of a record that was read with both: an end is not left for something under way. */
export function laterStatus(partner: Partner, known: string | null, read: string): string {
  if (known === null) return read;
  return meaningOf(partner, read) === "open" && meaningOf(partner, known) !== "open" ? known : read;
}

function normalized(status: string): string {
  return status
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
}

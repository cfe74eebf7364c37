import type { Partner } from "./partner.ts";

/** What a service status means: `open` is still in progress, the others are ends. */
export type Meaning = "open" | "succeeded" | "cancelled" | "failed";

// The service's status words are not published. Only words that must be an end are listed: ambiguous ones ("sent",
// "executed", "approved", "error") count as open and are polled.
const ends: [Meaning, string[]][] = [
  ["succeeded", ["completed", "complete", "processed", "settled", "succeeded", "success", "successful"]],
  ["succeeded", ["paid", "done", "finished", "cleared"]],
  ["cancelled", ["cancelled", "canceled", "voided", "aborted"]],
  ["failed", ["failed", "failure", "rejected", "declined", "denied", "refused", "bounced", "expired"]],
  ["failed", ["returned", "reversed"]],
];
const meanings = new Map(ends.flatMap(([meaning, words]) => words.map((word) => [word, meaning] as const)));

/** The meaning of a status in any letter case; unknown words are open. */
export function meaningOf(partner: Partner, status: string): Meaning {
  const word = normalized(status);
  return partner.config.statusMeanings.get(word) ?? meanings.get(word) ?? "open";
}

/** The later of a record's two statuses: an end never gives way to an open status. */
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

// The service's status words are not published (Decisions D7, D12). An unknown word blocks nothing here: the service
// itself refuses payments that it doesn't allow.
const closedAccount = /^(closed|inactive|disabled|suspended|frozen|blocked|locked|restricted|deleted|archived)$/i;
const unpayableUser =
  /^(pending|retry|document|rejected|suspended|declined|denied|closed|inactive|disabled|blocked|deactivated|deleted)$/i;

export function isClosedAccount(status: string | undefined): boolean {
  return closedAccount.test(status ?? "");
}

export function isUnpayableUser(status: string): boolean {
  return unpayableUser.test(status);
}

export function isAwaitingDecision(status: string): boolean {
  return /^(pending|retry|document)$/i.test(status);
}

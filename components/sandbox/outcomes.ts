/** A selectable outcome; `sentence` says what triggers it. */
export type Outcome = { value: string; label: string; sentence: string };

const ssnOutcomes = {
  approved: { end: undefined, label: "Approved" },
  rejected: { end: "0001", label: "Rejected" },
  waits: { end: "0002", label: "Waits" },
  retry: { end: "0003", label: "Retry" },
  document: { end: "0004", label: "Photo ID" },
};

/** Screening outcomes, chosen by the last four digits of the SSN. Decision D8 */
export const screeningOutcomes: Outcome[] = Object.entries(ssnOutcomes).map(([value, { end, label }]) => ({
  value,
  label,
  sentence: end ? `The SSN ends in ${end}: ${label.toLowerCase()}.` : "The SSN has no special ending: approved.",
}));

export function ssnFor(ssn: string, outcome: string): string {
  const { end } = Object.entries(ssnOutcomes).find(([value]) => value === outcome)?.[1] ?? ssnOutcomes.approved;
  return end ? ssn.slice(0, -4) + end : ssn;
}

const cents: Record<string, { end: string; label: string; sentence: string }> = {
  paid: { end: "50", label: "Paid", sentence: "The amount has no special cents: paid." },
  fails: { end: "11", label: "Fails", sentence: "The amount ends in .11: the payment fails." },
  waits: { end: "12", label: "Waits", sentence: "The amount ends in .12: the payment waits for a manual decision." },
};

/** Payment outcomes, chosen by the cents. Decision D13 */
export const paymentOutcomes: Outcome[] = Object.entries(cents).map(([value, { label, sentence }]) => ({
  value,
  label,
  sentence,
}));

export function amountFor(dollars: string, outcome: string): string {
  return `${dollars}.${cents[outcome]?.end ?? "50"}`;
}

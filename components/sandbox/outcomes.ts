/** An ending that somebody can choose; `sentence` says what in the form decides it. */
export type Outcome = { value: string; label: string; sentence: string };

const endings = {
  approved: { end: undefined, label: "Approved" },
  rejected: { end: "0001", label: "Rejected" },
  waits: { end: "0002", label: "Waits" },
  retry: { end: "0003", label: "Asks again" },
  document: { end: "0004", label: "Photo ID" },
};

/** How a screening can end. The sandbox reads it off the last four digits of the ssn. Decision D8 */
export const screeningOutcomes: Outcome[] = Object.entries(endings).map(([value, { end, label }]) => ({
  value,
  label,
  sentence: end ? `The ssn ends in ${end}: ${label.toLowerCase()}.` : "The ssn has no special ending: approved.",
}));

/** An ssn that leads to this ending. */
export function ssnFor(ssn: string, outcome: string): string {
  const { end } = Object.entries(endings).find(([value]) => value === outcome)?.[1] ?? endings.approved;
  return end ? ssn.slice(0, -4) + end : ssn;
}

const cents: Record<string, { end: string; label: string; sentence: string }> = {
  paid: { end: "50", label: "Paid", sentence: "The amount has ordinary cents: paid." },
  fails: { end: "11", label: "Fails", sentence: "The amount ends in .11: the payment fails." },
  waits: { end: "12", label: "Waits", sentence: "The amount ends in .12: the payment waits until somebody decides." },
};

/** How a payment can end. The sandbox reads it off the cents. Decision D13 */
export const paymentOutcomes: Outcome[] = Object.entries(cents).map(([value, { label, sentence }]) => ({
  value,
  label,
  sentence,
}));

/** This many dollars, with the cents that lead to this ending. */
export function amountFor(dollars: string, outcome: string): string {
  return `${dollars}.${cents[outcome]?.end ?? "50"}`;
}

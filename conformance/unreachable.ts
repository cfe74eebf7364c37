const clientsRule = "It is a rule for the client, not for the service.";
const inside = "It cannot be seen from outside: it is about the inside of our service.";
const harbor = "It is about Harbor, our own client.";
const unlike = "Only a fault inside the service, or more requests than a run may send, would show it.";
const later = "The suite does not ask for it.";

/** The clauses that no check asks about, and why: one entry for a clause, or for all clauses of a decision. */
export const unreachable: Record<string, string> = {
  "I.metadata.2": "Every key of a JSON object is a text.",
  "I.metadata.9": clientsRule,
  "I.authentication.12": clientsRule,
  "I.authentication.13": clientsRule,
  "I.authentication.14": clientsRule,
  D1: inside,
  D15: inside,
  D17: unlike,
  D18: harbor,
  D22: "It is about this suite.",
  "D5.11": unlike,
  "D10.6": inside,
  "D13.10": unlike,
  "D13.11": unlike,
  "D13.12": unlike,
  "D13.13": unlike,
  "D14.3": unlike,
  "D14.4": inside,
  "D14.5": inside,
  "D14.6": unlike,
  "D14.7": unlike,
  "D9.8": unlike,
};

/** Why this clause is asked about by no check; undefined when one has to. */
export function whyUnreachable(clause: string): string | undefined {
  return unreachable[clause] ?? unreachable[clause.split(".")[0] ?? ""] ?? (clause.startsWith("D") ? later : undefined);
}

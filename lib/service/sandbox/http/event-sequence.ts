/** The place of an event, of the id that a reader has of it; undefined when that is no id. */
export function sequenceOf(id: string | undefined): number | undefined {
  // Up to 15 digits are a whole number exactly.
  return /^\d{1,15}$/.test(id ?? "") ? Number(id) : undefined;
}

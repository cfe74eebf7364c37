/** The value below which this share of all values lies (nearest rank). NaN when there is none. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The middle value; of an even number, the mean of the two in the middle. NaN when there is none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const half = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return below === undefined || above === undefined ? Number.NaN : (below + above) / 2;
}

/** How far apart the rounds are: from the lowest to the highest, as a share of the median. */
export function spreadOf(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/** The median of the rounds of one side, and whether they agree well enough to be believed. */
export type Summary = { median: number; spread: number; isNoisy: boolean };

// Rounds further apart than this say more about the machine than about what was measured.
const spreadMax = 0.15;

/** Sums up the rounds of one side. */
export function summarize(values: readonly number[]): Summary {
  const spread = spreadOf(values);
  return { median: median(values), spread, isNoisy: spread > spreadMax };
}

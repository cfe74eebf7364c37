/** The nearest-rank percentile. NaN for an empty list. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The median. NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const half = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return below === undefined || above === undefined ? Number.NaN : (below + above) / 2;
}

/** The range of the rounds as a share of the median. */
export function spreadOf(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/** One side's median, and whether its rounds agree. */
export type Summary = { median: number; spread: number; isNoisy: boolean };

// A wider spread says more about the machine than about the code.
const spreadMax = 0.15;

export function summarize(values: readonly number[]): Summary {
  const spread = spreadOf(values);
  return { median: median(values), spread, isNoisy: spread > spreadMax };
}

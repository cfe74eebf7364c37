import { isSuccess, type Operation } from "../history.ts";

/**
 * The longest outage in a time span in milliseconds: the longest gap between consecutive acknowledged bookings of any API.
 * Replayed answers don't count.
 */
export function longestOutageMs(operations: Operation[], span: { from: number; to: number }): number {
  const attempts = operations.filter(({ kind }) => kind === "booking").flatMap((operation) => operation.attempts);
  const served = attempts.filter(({ outcome }) => isSuccess(outcome) && !outcome.isReplay);
  const byApi = Map.groupBy(served, ({ api }) => api);
  const gaps = [...byApi.values()].map((apiTimes) => {
    const times = apiTimes.map(({ endedAt }) => endedAt).sort((left, right) => left - right);
    return Math.max(0, ...times.slice(1).map((time, index) => gapWithin(times[index] ?? time, time, span)));
  });
  return Math.max(0, ...gaps);
}

function gapWithin(before: number, after: number, { from, to }: { from: number; to: number }): number {
  return after < from || before > to ? 0 : after - before;
}

/** The lower median; 0 for an empty list. */
export function median(numbers: number[]): number {
  const sorted = [...numbers].sort((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

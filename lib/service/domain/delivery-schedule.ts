const seconds = 1000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

// Decision D14: how long after a failed attempt the next one follows; the first leaves at once.
const delaysMs = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
];

// A receiver may ask for a later attempt, but for no longer pause than the schedule's longest.
const retryAfterMsMax = 24 * hours;
// Deliveries that failed together do not come back together.
const jitterShare = 0.1;

/**
 * Milliseconds until the next attempt after `attempts` failed ones; undefined when there is none. `random` is 0 to 1 and
 * lengthens the pause by up to a tenth; `retryAfterMs` is the least that the receiver asked for.
 */
export function nextAttemptDelayMs(
  attempts: number,
  { random, retryAfterMs = 0 }: { random: number; retryAfterMs?: number | undefined },
): number | undefined {
  const delayMs = delaysMs[attempts - 1];
  if (delayMs === undefined) return undefined;
  const asked = Math.min(retryAfterMs, retryAfterMsMax);
  return Math.max(Math.round(delayMs * (1 + random * jitterShare)), asked);
}

// While an endpoint fails as a whole: soon enough that its recovery is noticed, seldom enough to be no load for anybody.
const firstProbeDelayMs = 5 * seconds;
const probeDelayMsMax = 5 * minutes;

/**
 * Milliseconds until an endpoint that fails as a whole is probed again, after so many probes that failed. `random` and
 * `retryAfterMs` as above.
 */
export function nextProbeDelayMs(
  failedProbes: number,
  { random, retryAfterMs = 0 }: { random: number; retryAfterMs?: number | undefined },
): number {
  const delayMs = Math.min(firstProbeDelayMs * 2 ** failedProbes, probeDelayMsMax);
  return Math.max(Math.round(delayMs * (1 + random * jitterShare)), Math.min(retryAfterMs, retryAfterMsMax));
}

/** The pause that a Retry-After header asks for (RFC 9110 section 10.2.3): seconds or a date; undefined when it is neither. */
export function retryAfterMsOf(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * seconds;
  const atMs = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

const seconds = 1000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

// Decision D14: the delays between attempts.
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

const retryAfterMsMax = 24 * hours;
// Spreads deliveries that failed together.
const jitterShare = 0.1;

/**
 * Milliseconds until the next attempt after `attempts` failures; undefined when there is none. `random` (0 to 1) adds
 * up to 10%; `retryAfterMs` is the receiver's minimum.
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

// Frequent enough to notice a recovery, rare enough not to load the endpoint.
const firstProbeDelayMs = 5 * seconds;
const probeDelayMsMax = 5 * minutes;

export function nextProbeDelayMs(
  failedProbes: number,
  { random, retryAfterMs = 0 }: { random: number; retryAfterMs?: number | undefined },
): number {
  const delayMs = Math.min(firstProbeDelayMs * 2 ** failedProbes, probeDelayMsMax);
  return Math.max(Math.round(delayMs * (1 + random * jitterShare)), Math.min(retryAfterMs, retryAfterMsMax));
}

/** Parses a Retry-After header (RFC 9110 section 10.2.3), in seconds or as a date; undefined when invalid. */
export function retryAfterMsOf(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * seconds;
  const atMs = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

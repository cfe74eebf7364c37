import { limits } from "../../contract/limits.ts";

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
// Spreads out deliveries that failed together.
const jitterShare = 0.1;

/** `random` (0 to 1) adds up to 10%; `retryAfterMs` is the minimum that the receiver asked for. */
type Pause = { random: number; retryAfterMs?: number | undefined };

/** Milliseconds until the next attempt after `attempts` failures; undefined if there is none. */
export function nextAttemptDelayMs(attempts: number, pause: Pause): number | undefined {
  const delayMs = delaysMs[attempts - 1];
  return delayMs === undefined ? undefined : withJitter(delayMs, pause);
}

// Frequent enough to notice a recovery, rare enough not to load the endpoint.
const firstProbeDelayMs = 5 * seconds;
const probeDelayMsMax = 5 * minutes;

export function nextProbeDelayMs(failedProbes: number, pause: Pause): number {
  return withJitter(Math.min(firstProbeDelayMs * 2 ** failedProbes, probeDelayMsMax), pause);
}

function withJitter(delayMs: number, { random, retryAfterMs = 0 }: Pause): number {
  return Math.max(Math.round(delayMs * (1 + random * jitterShare)), Math.min(retryAfterMs, retryAfterMsMax));
}

/** Parses a Retry-After header (RFC 9110 section 10.2.3), in seconds or as a date; undefined if invalid. */
export function retryAfterMsOf(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * seconds;
  const atMs = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/**
 * Limits concurrent attempts to endpoints that were failing or left attempts unanswered. The limit starts low, so that a
 * slow or recovering receiver isn't flooded until it fails again, and grows as the receiver answers.
 */
export type EndpointConcurrency = {
  /** Undefined once an endpoint may get `most`. */
  limitOf: (clientId: string) => number | undefined;
  clientIds: () => string[];
  /** The whole endpoint is failing. */
  startOver: (clientId: string) => void;
  /** An attempt ended without an answer. Takes `performance.now()` values, because the wall clock can be set. */
  slowDown: (clientId: string, sentAtMs: number) => void;
  /** A webhook was delivered. */
  speedUp: (clientId: string, durationMs: number) => void;
};

// As in TCP: the limit doubles with each round of answers up to half of what was too much, then grows by one per round.
type Window = { limit: number; slowStartThreshold: number; sinceMs: number };

// Slower answers may come from a queue that grows until attempts time out.
const promptMs = limits.webhookTimeoutMs / 5;

/** Remembers the latest `endpointsMax` endpoints. */
export function createEndpointConcurrency({
  most,
  endpointsMax,
}: {
  most: number;
  endpointsMax: number;
}): EndpointConcurrency {
  const windows = new Map<string, Window>();

  function remember(clientId: string, window: Window): void {
    windows.delete(clientId);
    windows.set(clientId, window);
    const [oldest] = windows.keys();
    if (windows.size > endpointsMax && oldest !== undefined) windows.delete(oldest);
  }

  return {
    limitOf: (clientId) => {
      const limit = windows.get(clientId)?.limit;
      return limit && Math.floor(limit);
    },
    clientIds: () => [...windows.keys()],
    startOver: (clientId) => {
      remember(clientId, { slowStartThreshold: most, sinceMs: 0, ...windows.get(clientId), limit: 1 });
    },
    slowDown: (clientId, sentAtMs) => {
      const window = windows.get(clientId) ?? { limit: most, slowStartThreshold: most, sinceMs: 0 };
      // Attempts sent before the last slowdown say nothing about the limit since.
      if (sentAtMs < window.sinceMs) return;
      // A lone attempt can't have been one too many.
      if (window.limit < 2) return;
      const half = Math.floor(window.limit / 2);
      remember(clientId, { limit: half, slowStartThreshold: half, sinceMs: performance.now() });
    },
    speedUp: (clientId, durationMs) => {
      const window = windows.get(clientId);
      if (!window) return;
      window.limit += window.limit < window.slowStartThreshold && durationMs <= promptMs ? 1 : 1 / window.limit;
      if (window.limit >= most) windows.delete(clientId);
    },
  };
}

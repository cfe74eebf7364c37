import type { DeliveryEvent } from "#lib/contract/sandbox-events.ts";

/** One bar of the chart; `at` is its start, in milliseconds. */
export type HealthBucket = { at: number; accepted: number; failed: number };

export type EndpointHealth = {
  buckets: HealthBucket[];
  bucketMs: number;
  accepted: number;
  failed: number;
  /** The median response time; undefined without responses. */
  medianMs: number | undefined;
  /** Periods in which every attempt failed, from the first failed bucket to the last; oldest first. */
  outages: { from: number; until: number }[];
};

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const bucketLengths = [minute, 5 * minute, 15 * minute, hour, 6 * hour, day];
const [bucketsMin, bucketsMax] = [24, 48];

/** Attempts over time until `now`; undefined without any. Attempts with an injected fault don't count. */
export function endpointHealth(attempts: readonly DeliveryEvent[], now: number): EndpointHealth | undefined {
  const genuine = attempts.filter(({ facts }) => facts.fault === null);
  const times = genuine.map(({ at }) => Date.parse(at));
  if (genuine.length === 0) return undefined;
  const first = Math.min(...times);
  const end = Math.max(now, ...times);
  const bucketMs = bucketLengths.find((length) => countOf(first, end, length) <= bucketsMax) ?? day;
  const count = Math.min(bucketsMax, Math.max(bucketsMin, countOf(first, end, bucketMs)));
  const start = (Math.floor(end / bucketMs) - count + 1) * bucketMs;
  const buckets = Array.from({ length: count }, (_, index) => ({
    at: start + index * bucketMs,
    accepted: 0,
    failed: 0,
  }));
  const durations: number[] = [];
  for (const { at, status, duration_ms } of genuine) {
    const bucket = buckets[Math.floor((Date.parse(at) - start) / bucketMs)];
    // Older than the longest period that can be shown.
    if (!bucket) continue;
    bucket[isAccepted(status) ? "accepted" : "failed"] += 1;
    if (status !== null && duration_ms !== null) durations.push(duration_ms);
  }
  const sum = (name: "accepted" | "failed") => buckets.reduce((total, bucket) => total + bucket[name], 0);
  return {
    buckets,
    bucketMs,
    accepted: sum("accepted"),
    failed: sum("failed"),
    medianMs: durations.toSorted((one, other) => one - other)[Math.floor(durations.length / 2)],
    outages: outagesOf(buckets, { bucketMs, end }),
  };
}

function countOf(first: number, end: number, length: number): number {
  return Math.floor(end / length) - Math.floor(first / length) + 1;
}

function isAccepted(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function outagesOf(
  buckets: readonly HealthBucket[],
  { bucketMs, end }: { bucketMs: number; end: number },
): EndpointHealth["outages"] {
  const outages: EndpointHealth["outages"] = [];
  let isDown = false;
  for (const { at, accepted, failed } of buckets) {
    if (accepted + failed === 0) continue;
    const last = outages.at(-1);
    const until = Math.min(at + bucketMs, end);
    if (accepted > 0) isDown = false;
    else if (isDown && last) last.until = until;
    else {
      outages.push({ from: at, until });
      isDown = true;
    }
  }
  return outages;
}

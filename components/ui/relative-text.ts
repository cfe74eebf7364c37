const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const units = [
  { unit: "second", ms: 1_000, below: 60_000 },
  { unit: "minute", ms: 60_000, below: 3_600_000 },
  { unit: "hour", ms: 3_600_000, below: 86_400_000 },
  { unit: "day", ms: 86_400_000, below: 30 * 86_400_000 },
] as const;

// A page looks at its clock every five seconds only, and clocks differ: nearer than this, any number would be a guess.
const justNowMs = 10_000;

/** How far an instant is from now, as people say it; further than 30 days, its date in UTC. */
export function relativeText(instant: Date, nowMs: number): string {
  const differenceMs = instant.getTime() - nowMs;
  const distanceMs = Math.abs(differenceMs);
  if (distanceMs < justNowMs) return differenceMs > 0 ? "in a moment" : "just now";
  // What has passed is counted in full units; what is to come is rounded, or two hours ahead would read "in 1 hour" at once.
  const count = differenceMs > 0 ? Math.round : Math.floor;
  const step = units.find(({ ms, below }) => count(distanceMs / ms) * ms < below);
  if (step) return relative.format(Math.sign(differenceMs) * count(distanceMs / step.ms), step.unit);
  return instant.toLocaleDateString("en-US", { dateStyle: "medium", timeZone: "UTC" });
}

/** An instant to the minute, the same on every machine. */
export function exactUtc(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

import { processWide } from "./memoize.ts";

// Durations of requests and calls, in Prometheus' text format. prom-client looks up a series by its labels on each
// observation. Here a route keeps its meter, and an observation only adds to three numbers.

/** `status` is 0 if there was no answer. */
export type Meter = { observe: (status: number, durationMs: number) => void };

export type ListenerName = "api" | "operator" | "authorization" | "console" | "harbor";
export type CalledName = "service" | "webhook_endpoint" | "customer_endpoint";

const boundsMs = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];
const metersMax = 400;
const methods = new Set(["GET", "HEAD", "POST", "PUT", "DELETE"]);

type Durations = { counts: number[]; sumMs: number };
type Series = { labels: string; byClass: (Durations | undefined)[]; byStatus: Map<number, number> };

const families = processWide("request_meters", () => ({
  requests: new Map<string, Series>(),
  calls: new Map<string, Series>(),
}));

/** Measures requests to one route. `route` is a template, never a path: its values must be a small closed set. */
export function requestMeter(of: { listener: ListenerName; method: string; route: string }): Meter {
  return meterOf(families().requests, { listener: of.listener }, of);
}

/** Measures this process's calls to one route of another server. */
export function callMeter(of: { to: CalledName; method: string; route: string }): Meter {
  return meterOf(families().calls, { to: of.to }, of);
}

function meterOf(
  family: Map<string, Series>,
  target: Record<string, string>,
  { method, route }: { method: string; route: string },
): Meter {
  const known = methods.has(method) ? method : "other";
  const labels = labelsOf({ ...target, method: known, route });
  const limited =
    family.has(labels) || family.size < metersMax ? labels : labelsOf({ ...target, method: known, route: "other" });
  const series = family.get(limited) ?? newSeries(limited);
  family.set(limited, series);
  return { observe: (status, durationMs) => observe(series, status, durationMs) };
}

// Failures start at 0, because Prometheus can't see an increase that comes with a new series.
function newSeries(labels: string): Series {
  const byClass: Series["byClass"] = [];
  byClass[0] = newDurations();
  byClass[5] = newDurations();
  return {
    labels,
    byClass,
    byStatus: new Map([
      [500, 0],
      [503, 0],
    ]),
  };
}

function newDurations(): Durations {
  return { counts: new Array<number>(boundsMs.length + 1).fill(0), sumMs: 0 };
}

function observe({ byClass, byStatus }: Series, status: number, durationMs: number): void {
  const statusClass = Math.trunc(status / 100);
  const durations = byClass[statusClass] ?? newDurations();
  byClass[statusClass] = durations;
  let bucket = 0;
  while (durationMs > (boundsMs[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
  durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1;
  durations.sumMs += durationMs;
  byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
}

/** In Prometheus' text format. */
export function readRequestMeters(): string {
  const { requests, calls } = families();
  return [
    ...histogram("gangway_request_duration_seconds", "Duration of requests to this process.", requests),
    "# HELP gangway_requests_total Requests to this process, by exact status.",
    "# TYPE gangway_requests_total counter",
    ...[...requests.values()].flatMap(({ labels, byStatus }) =>
      [...byStatus].map(([status, count]) => `gangway_requests_total{${labels},status="${status || "none"}"} ${count}`),
    ),
    ...histogram("gangway_call_duration_seconds", "Duration of this process's calls to other servers.", calls),
    "",
  ].join("\n");
}

function histogram(name: string, help: string, family: Map<string, Series>): string[] {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const { labels, byClass } of family.values()) {
    for (const [statusClass, durations] of byClass.entries()) {
      if (!durations) continue;
      const all = `${labels},status="${statusClass === 0 ? "none" : `${statusClass}xx`}"`;
      let count = 0;
      for (const [bucket, boundMs] of [...boundsMs, Number.POSITIVE_INFINITY].entries()) {
        count += durations.counts[bucket] ?? 0;
        const bound = boundMs === Number.POSITIVE_INFINITY ? "+Inf" : boundMs / 1000;
        lines.push(`${name}_bucket{${all},le="${bound}"} ${count}`);
      }
      lines.push(`${name}_sum{${all}} ${durations.sumMs / 1000}`, `${name}_count{${all}} ${count}`);
    }
  }
  return lines;
}

function labelsOf(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, "_")}"`)
    .join(",");
}

import { useId } from "react";
import { ClockTime } from "#components/ui/exact-time.tsx";
import { NothingYet } from "../console-page.tsx";
import type { EndpointHealth } from "./endpoint-health.ts";

// In drawing units. Accepted attempts rise from the axis and failed ones hang below it, so color isn't the only signal.
const [width, height, gap] = [720, 96, 1];

export function HealthChart({ health }: { health: EndpointHealth | undefined }) {
  const id = useId();
  if (!health) return <NothingYet>No attempts yet. Webhooks with an injected fault don’t count.</NothingYet>;
  const { buckets, accepted, failed, medianMs, outages } = health;
  const [first, last] = [buckets[0]?.at ?? 0, (buckets.at(-1)?.at ?? 0) + health.bucketMs];
  const highest = Math.max(...buckets.map((bucket) => bucket.accepted));
  const deepest = Math.max(...buckets.map((bucket) => bucket.failed));
  // The newest attempts may be older than the longest period that can be shown.
  const perAttempt = height / Math.max(1, highest + deepest);
  const axis = highest * perAttempt;
  const step = width / buckets.length;
  return (
    <figure className="flex flex-col gap-3">
      <figcaption id={id} className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        <span>
          <Swatch className="bg-success" /> {accepted} accepted
        </span>
        <span>
          <Swatch className="bg-danger" /> {failed} failed
        </span>
        {medianMs === undefined ? null : <span className="text-ink-soft">Median answer: {medianMs} ms</span>}
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Attempts per ${lengthText(health.bucketMs)}: accepted above the line, failed below it`}
        aria-describedby={id}
        className="h-24 w-full"
      >
        {buckets.map((bucket, index) => (
          <g key={bucket.at}>
            <rect
              x={index * step}
              width={step - gap}
              y={axis - bucket.accepted * perAttempt}
              height={bucket.accepted * perAttempt}
              className="fill-success forced-colors:fill-[CanvasText]"
            />
            <rect
              x={index * step}
              width={step - gap}
              y={axis}
              height={bucket.failed * perAttempt}
              className="fill-danger forced-colors:fill-[CanvasText]"
            />
          </g>
        ))}
        <line
          x2={width}
          y1={axis}
          y2={axis}
          className="stroke-line-strong"
          strokeWidth="1"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <p className="flex flex-wrap justify-between gap-x-6 text-sm text-ink-soft">
        <Moment at={first} />
        <Moment at={last} />
      </p>
      {outages.length === 0 ? (
        <p className="text-sm">No outages in this time.</p>
      ) : (
        <ul aria-label="Outages" className="flex flex-col gap-1 text-sm">
          {outages.slice(-outagesShown).map(({ from, until }) => (
            <li key={from}>
              Every attempt failed from <Moment at={from} /> to <Moment at={until} />.
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

const outagesShown = 5;

function Moment({ at }: { at: number }) {
  return <ClockTime at={new Date(at).toISOString()} />;
}

function Swatch({ className }: { className: string }) {
  return <span aria-hidden="true" className={`mr-1 inline-block size-3 rounded-xs ${className}`} />;
}

function lengthText(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 60) return minutes === 1 ? "minute" : `${minutes} minutes`;
  if (minutes < 24 * 60) return minutes === 60 ? "hour" : `${minutes / 60} hours`;
  return "day";
}

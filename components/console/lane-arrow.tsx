import { lanes } from "./describe-event.ts";

export function LaneArrow({ from, to, isDashed }: { from: number; to: number; isDashed: boolean }) {
  const [start, end] = [middleOf(from), middleOf(to)];
  const way = to > from ? 1 : -1;
  return (
    <svg className="h-full w-full text-ink" aria-hidden="true" preserveAspectRatio="none">
      {lanes.map((lane, index) => (
        <line key={lane} x1={middleOf(index)} x2={middleOf(index)} y1="0" y2="100%" className="stroke-line" />
      ))}
      <line
        x1={start}
        x2={end}
        y1="50%"
        y2="50%"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeDasharray={isDashed ? "4 3" : undefined}
      />
      <circle cx={start} cy="50%" r="3" fill="currentColor" />
      <svg x={end} y="50%" overflow="visible" aria-hidden="true">
        <path d={`M${-7 * way} -4.5 0 0 ${-7 * way} 4.5Z`} fill="currentColor" />
      </svg>
    </svg>
  );
}

function middleOf(lane: number): string {
  return `${((lane + 0.5) * 100) / lanes.length}%`;
}

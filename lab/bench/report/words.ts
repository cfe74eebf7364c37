import { type Comparison, type Figure, type Goal, judge } from "../measure/comparison.ts";

export type TableRow = {
  job: string;
  ours: string;
  yardstick: string;
  ratio: string;
  p50: string;
  p99: string;
  goal: string;
  result: string;
};

export function rowOf(comparison: Comparison): TableRow {
  const { job, unit, ours, yardstick, goal } = comparison;
  const { ratio } = judge(comparison);
  return {
    job,
    ours: figureText(ours, unit),
    yardstick: yardstick ? `${yardstick.name}: ${figureText(yardstick, unit)}` : "",
    ratio: ratio === undefined ? "" : ratio.toFixed(2),
    p50: latencyText(ours.p50Ms, yardstick?.p50Ms),
    p99: latencyText(ours.p99Ms, yardstick?.p99Ms),
    goal: goalText(goal, unit),
    result: resultText(comparison),
  };
}

/** Met or missed, with a note for noisy rounds. */
function resultText(comparison: Comparison): string {
  const { kind, isNoisy } = judge(comparison);
  return isNoisy ? `${kind}, too noisy to trust` : kind;
}

/** One sentence per cause: the missed goals, the cause, and the next step. */
export function missedGoals(comparisons: readonly Comparison[]): string[] {
  const missed = comparisons.filter((comparison) => judge(comparison).kind === "missed");
  const byReason = Map.groupBy(missed, ({ cause, lever }) =>
    [cause ?? "no cause was observed", ...(lever ? [`next: ${lever}`] : [])].join("; "),
  );
  return [...byReason].map(([reason, goals]) => {
    const names = goals.map(({ job, yardstick }) => (yardstick ? `${job} vs. ${yardstick.name}` : job));
    return `${names.join(", and ")}: ${reason}.`;
  });
}

export function figureText({ median, spread }: Figure, unit: Comparison["unit"]): string {
  const digits = Math.abs(median) < 100 && unit !== "/s" ? 1 : 0;
  const value = median.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const range = Number.isFinite(spread) && spread > 0 ? ` ±${Math.round((spread / 2) * 100)} %` : "";
  return `${value}${unit === "/s" ? "/s" : unit === "" ? "" : ` ${unit}`}${range}`;
}

function latencyText(ours: number | undefined, yardstick: number | undefined): string {
  const text = (ms: number | undefined) => (isKnown(ms) ? ms.toFixed(1) : "–");
  return !isKnown(ours) && !isKnown(yardstick) ? "" : `${text(ours)} / ${text(yardstick)}`;
}

// Webhook waves have no latencies.
function isKnown(ms: number | undefined): ms is number {
  return ms !== undefined && Number.isFinite(ms);
}

function goalText(goal: Goal, unit: Comparison["unit"]): string {
  const sign = goal.compare === "at least" ? "≥" : "≤";
  return goal.kind === "beside" ? `${sign} ${goal.ratio} ×` : `${sign} ${goal.value}${unit && ` ${unit}`}`;
}

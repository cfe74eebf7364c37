import { type Comparison, judge } from "../measure/comparison.ts";
import { figureText } from "./words.ts";

const [width, labelWidth, barsWidth, rowHeight, barHeight, top] = [1040, 400, 330, 50, 15, 44];

/** A bar chart of our figures, their yardsticks and goals, each on its own scale, for light and dark mode. */
export function chartOf(comparisons: readonly Comparison[]): string {
  const charted = comparisons.flatMap((comparison) => {
    const { yardstick, goal } = comparison;
    return yardstick && goal.kind === "beside" ? [{ comparison, yardstick, goal }] : [];
  });
  const rows = charted.map(({ comparison, yardstick, goal }, index) => {
    const { job, unit, ours } = comparison;
    const target = yardstick.median * goal.ratio;
    const scale = barsWidth / Math.max(ours.median, yardstick.median, target);
    const y = top + index * rowHeight;
    const bar = (figure: typeof ours, at: number, kind: string) => `
  <rect class="${kind}" x="${labelWidth}" y="${at}" width="${round(figure.median * scale)}" height="${barHeight}" rx="2"/>
  <text class="value" x="${labelWidth + barsWidth + 12}" y="${at + 12}">${escapeText(figureText(figure, unit))}</text>`;
    const goalX = labelWidth + round(target * scale);
    const { kind, isNoisy } = judge(comparison);
    const sign = goal.compare === "at least" ? "≥" : "≤";
    return `
  <text x="${labelWidth - 12}" y="${y + 12}" text-anchor="end">${escapeText(job)}</text>
  <text class="small" x="${labelWidth - 12}" y="${y + 29}" text-anchor="end">${escapeText(yardstick.name)}</text>${bar(ours, y, kind)}${bar(yardstick, y + barHeight + 2, "yardstick")}
  <line class="goal" x1="${goalX}" x2="${goalX}" y1="${y - 4}" y2="${y + 2 * barHeight + 6}"/>
  <text class="small" x="${width - 8}" y="${y + 12}" text-anchor="end">${sign} ${goal.ratio} × ${kind}${isNoisy ? ", noisy" : ""}</text>`;
  });
  const height = top + charted.length * rowHeight;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">
  <title>Our figures and the yardsticks</title>
  <style>
    text { fill: #1f2328 } .small { fill: #59636e; font-size: 11px } .value { font-size: 12px }
    .met { fill: #1a7f37 } .missed { fill: #bc4c00 } .yardstick { fill: #8c959f } .goal { stroke: #1f2328; stroke-dasharray: 3 2 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc } .small { fill: #9198a1 } .goal { stroke: #f0f6fc }
      .met { fill: #3fb950 } .missed { fill: #db6d28 } .yardstick { fill: #656c76 }
    }
  </style>
  <text class="small" x="${labelWidth}" y="20">Upper bar: ours. Lower bar: the yardstick. Dashed: the goal. Each row has its own scale.</text>${rows.join("")}
</svg>
`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

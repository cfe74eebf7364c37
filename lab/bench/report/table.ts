import type { TableRow } from "./words.ts";

const columns = ["job", "ours", "yardstick", "ratio", "p50", "p99", "goal", "result"] as const;

export function tableText(rows: readonly TableRow[]): string {
  const cells = [columns.map(headOf), ...rows.map((row) => columns.map((column) => row[column]))];
  const widths = columns.map((_, index) => Math.max(3, ...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) => `| ${line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`);
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

function headOf(column: (typeof columns)[number]): string {
  return column === "p50" || column === "p99" ? `${column} ms, ours / theirs` : column;
}

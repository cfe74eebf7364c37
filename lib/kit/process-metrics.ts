import { clockDifferences } from "./clock-watch.ts";
import { droppedLogLines } from "./log.ts";

/** In Prometheus' text format. */
export function processMetrics(): string {
  const differences = [...clockDifferences()].map(
    ([app, seconds]) => `gangway_clock_difference_seconds{app="${app}"} ${seconds}`,
  );
  return [
    "# HELP gangway_log_lines_dropped_total Log lines that this process dropped because it could not write them.",
    "# TYPE gangway_log_lines_dropped_total counter",
    `gangway_log_lines_dropped_total ${droppedLogLines()}`,
    "# HELP gangway_clock_difference_seconds Seconds that this process's clock is ahead of its database's, by app.",
    "# TYPE gangway_clock_difference_seconds gauge",
    ...differences,
    "",
  ].join("\n");
}

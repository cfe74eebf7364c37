import { collectDefaultMetrics, Registry } from "prom-client";
import { clockDifferences } from "./clock-watch.ts";
import { droppedLogLines } from "./log.ts";
import { processWide } from "./memoize.ts";
import { readRequestMeters } from "./request-meter.ts";
import { stalledLoops } from "./wake-loop.ts";

// Event loop delay, garbage collection, memory and CPU.
const ofNode = processWide("node_metrics", () => {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
});

const build = processWide("build", () => ({ version: "unknown", roles: "" }));

/** Starts measuring the process. `version` and `roles` are labels of `gangway_build_info`. */
export function beginProcessMetrics(facts: { version: string; roles: string }): void {
  Object.assign(build(), facts);
  ofNode();
}

/** In Prometheus' text format. */
export async function processMetrics(): Promise<string> {
  const differences = [...clockDifferences()].map(
    ([app, seconds]) => `gangway_clock_difference_seconds{app="${app}"} ${seconds}`,
  );
  const { version, roles } = build();
  return [
    "# HELP gangway_build_info 1, with this process's version, roles and Node.js.",
    "# TYPE gangway_build_info gauge",
    `gangway_build_info{version="${version}",roles="${roles}",node="${process.version}"} 1`,
    "# HELP gangway_loop_stalled_seconds How late a worker's loop is with its next successful poll.",
    "# TYPE gangway_loop_stalled_seconds gauge",
    ...stalledLoops().map(([loop, seconds]) => `gangway_loop_stalled_seconds{loop="${loop}"} ${seconds}`),
    "# HELP gangway_log_lines_dropped_total Log lines that this process dropped because it could not write them.",
    "# TYPE gangway_log_lines_dropped_total counter",
    `gangway_log_lines_dropped_total ${droppedLogLines()}`,
    "# HELP gangway_clock_difference_seconds Seconds that this process's clock is ahead of its database's, by app.",
    "# TYPE gangway_clock_difference_seconds gauge",
    ...differences,
    `${readRequestMeters()}${await ofNode().metrics()}`,
    "",
  ].join("\n");
}

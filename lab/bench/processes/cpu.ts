import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { listChildren } from "../../../scripts/processes.ts";

// Linux reports hundredths of a second, regardless of the kernel's tick.
const ticksPerSecond = 100;

/** CPU seconds used by a process, from /proc. NaN except on Linux. */
export function cpuSeconds(pid: number): number {
  return ticksOf(pid, ["user", "system"]) / ticksPerSecond;
}

/** CPU seconds used by a PostgreSQL server and its backends, including those that have exited. */
export function cpuSecondsOfCluster(pid: number): number {
  const total = ticksOf(pid, ["user", "system", "endedUser", "endedSystem"]);
  return listChildren(pid).reduce((sum, child) => sum + (cpuSeconds(child) || 0), total / ticksPerSecond);
}

/** CPU seconds used by all processes on this machine. */
export function cpuSecondsOfMachine(): number {
  const milliseconds = cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
  return milliseconds / 1000;
}

// Field positions in /proc/<pid>/stat after the process name, which can contain anything.
const columns = { user: 11, system: 12, endedUser: 13, endedSystem: 14 };

function ticksOf(pid: number, names: (keyof typeof columns)[]): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return names.reduce((sum, name) => sum + Number(fields[columns[name]]), 0);
  } catch {
    return Number.NaN;
  }
}

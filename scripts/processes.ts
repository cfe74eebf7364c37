import { execFileSync } from "node:child_process";

/** Whether a process with this id runs, ours or another user's. */
export function isAlive(pid: number): boolean {
  // 0 and below would mean groups of processes.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The ids of a process's own children. Not on Windows. */
export function listChildren(pid: number): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([own = 0, parent]) => (parent === pid ? [own] : []));
}

/** Sends a signal to a process if it is still there. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  if (isAlive(pid)) process.kill(pid, signal);
}

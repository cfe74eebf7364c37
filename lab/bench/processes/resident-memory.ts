import { readFileSync } from "node:fs";

/** What processes of Node hold in memory together at this moment, in MB. NaN except on Linux. */
export function residentMb(processes: readonly { pid: number }[]): number {
  return heldTogetherMb(processes.map(({ pid }) => readStatus(pid)));
}

/**
 * The same of what Linux says in `/proc/<pid>/status`. The program of Node (some 50 MB), of which the system keeps one copy for
 * all of them, counts once.
 */
export function heldTogetherMb(statuses: readonly string[]): number {
  const own = statuses.reduce((sum, status) => sum + kbIn(status, "RssAnon") + kbIn(status, "RssShmem"), 0);
  return (own + Math.max(...statuses.map((status) => kbIn(status, "RssFile")))) / 1024;
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}

function kbIn(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]);
}

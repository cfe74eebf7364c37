import { readFileSync } from "node:fs";

/** Total memory of Node processes in MB. NaN except on Linux. */
export function residentMb(processes: readonly { pid: number }[]): number {
  return residentTotalMb(processes.map(({ pid }) => readStatus(pid)));
}

/** Total memory in MB from the contents of `/proc/<pid>/status`. The shared Node binary (about 50 MB) counts once. */
export function residentTotalMb(statuses: readonly string[]): number {
  const privateKb = statuses.reduce((sum, status) => sum + kbIn(status, "RssAnon") + kbIn(status, "RssShmem"), 0);
  return (privateKb + Math.max(...statuses.map((status) => kbIn(status, "RssFile")))) / 1024;
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

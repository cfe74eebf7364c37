import { execFileSync } from "node:child_process";

/** What a process holds in memory at this moment, in MB. */
export function residentMb(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
}

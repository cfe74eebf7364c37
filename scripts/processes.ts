import { execFileSync } from "node:child_process";

/** Whether a process with this id is running, ours or another user's. */
export function isAlive(pid: number): boolean {
  // 0 and negative ids would mean process groups.
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
  return pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
}

/** The ids of the processes whose command names a folder or something in it. Not on Windows. */
export function listServing(folder: string): number[] {
  // Some commands are many thousands of characters long.
  const listed = execFileSync("ps", ["-A", "-ww", "-o", "pid=,args="], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed.split("\n").flatMap((line) => {
    const [, pid, command = ""] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    // Another folder's name can begin with this one's.
    const isNamed = command.split(folder).some((rest, index) => index > 0 && /^(?:[/\s"']|$)/.test(rest));
    return isNamed ? [Number(pid)] : [];
  });
}

/** Sends a signal to a process if it's still running. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  if (isAlive(pid)) process.kill(pid, signal);
}

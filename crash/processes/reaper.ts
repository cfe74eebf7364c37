import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isAlive, listChildren, signalProcess } from "../../scripts/processes.ts";
import type { ReaperMessage } from "./start-reaper.ts";

// Ends what a run started as soon as the run is over, however it ended: the channel to it closes even when it was killed
// hard. It runs in a session of its own, so Ctrl-C does not reach it.

const pids = new Set<number>();
const pidFiles = new Set<string>();
const folders = new Set<string>();

process.on("message", (message: ReaperMessage) => {
  if ("watch" in message) pids.add(message.watch);
  if ("forget" in message) pids.delete(message.forget);
  if ("pidFile" in message) pidFiles.add(message.pidFile);
  if ("folder" in message) folders.add(message.folder);
});

process.once("disconnect", async () => {
  await end([...pids]);
  // Afterwards, when nobody is left who would start another.
  await end([...pidFiles].map(readPid));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
});

async function end(named: number[]): Promise<void> {
  const all = named.filter(isAlive).flatMap((pid) => [pid, ...listChildren(pid)]);
  for (const pid of all) signalProcess(pid, "SIGKILL");
  // Bounded: a process that its parent does not collect keeps its id.
  for (let tries = 0; all.some(isAlive) && tries < 250; tries++) await delay(20);
}

// As postmaster.pid has it: the id in the first line, the folder that it serves in the second, or it is another's by now.
function readPid(file: string): number {
  try {
    const [pid, folder = "?"] = readFileSync(file, "utf8").split("\n");
    const command = execFileSync("ps", ["-o", "args=", "-p", String(Number(pid))], { encoding: "utf8" });
    return command.includes(folder) ? Number(pid) : 0;
  } catch {
    return 0;
  }
}

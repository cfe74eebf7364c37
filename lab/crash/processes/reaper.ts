import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isAlive, listChildren, listServing, signalProcess } from "../../../scripts/processes.ts";
import type { ReaperMessage } from "./start-reaper.ts";

// Stops a run's processes once the run is over: its IPC channel closes even after SIGKILL. Runs in its own session, so
// that Ctrl-C doesn't reach it.

const pids = new Set<number>();
const folders = new Set<string>();

process.on("message", (message: ReaperMessage) => {
  if ("watch" in message) pids.add(message.watch);
  if ("forget" in message) pids.delete(message.forget);
  if ("folder" in message) folders.add(message.folder);
});

process.once("disconnect", async () => {
  await end([...pids]);
  for (const folder of folders) {
    await endServing(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  process.exit(0);
});

async function end(named: number[]): Promise<void> {
  const all = named.filter(isAlive).flatMap((pid) => [pid, ...listChildren(pid)]);
  for (const pid of all) signalProcess(pid, "SIGKILL");
  // Bounded, because an unreaped zombie keeps its pid.
  for (let tries = 0; all.some(isAlive) && tries < 250; tries++) await delay(20);
}

// Repeated until none are left: a supervisor may have been starting another server.
async function endServing(folder: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const serving = listServing(folder);
    if (serving.length === 0) return;
    await end(serving);
  }
}

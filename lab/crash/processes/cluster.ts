import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ServerOptions } from "../../../scripts/embedded-postgres.ts";
import { isAlive, listChildren, signalProcess } from "../../../scripts/processes.ts";
import { runStatements } from "../../../scripts/run-statements.ts";
import { testClusterFolder } from "../../../scripts/test-cluster.ts";
import type { Reaper } from "./start-reaper.ts";

/** A run's durable PostgreSQL (fsync on), which can be killed or paused as a whole. */
export type CrashableCluster = {
  /** The URL of its database "postgres"; the port changes with each start. */
  url: () => string;
  start: () => Promise<void>;
  kill: () => Promise<void>;
  /** SIGSTOP to all of them; returns a resume function. */
  pause: () => () => void;
};

export type CrashableOptions = ServerOptions & { settings?: Record<string, string> };

export async function startCrashableCluster(
  reaper: Reaper,
  options: CrashableOptions = {},
  directory = testClusterFolder("crash"),
): Promise<CrashableCluster> {
  let url = "";
  let pid = 0;

  reaper.send({ folder: directory });

  async function start(): Promise<void> {
    url = await startInProcess(directory, options);
    const data = await findDataFolder(url);
    pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
    reaper.send({ watch: pid });
    // The data is elsewhere if the server's user can't access the requested folder.
    reaper.send({ folder: dirname(data) });
  }

  function stopAll(): number[] {
    // The server first, so it can't start new children.
    signalProcess(pid, "SIGSTOP");
    const all = [pid, ...listChildren(pid)];
    for (const processId of all) signalProcess(processId, "SIGSTOP");
    return all;
  }

  await start();
  return {
    url: () => url,
    start,
    kill: async () => {
      const all = stopAll();
      for (const processId of all) signalProcess(processId, "SIGKILL");
      while (all.some(isAlive)) await delay(5);
      reaper.send({ forget: pid });
    },
    pause: () => {
      const all = stopAll();
      return () => {
        for (const pid of all) signalProcess(pid, "SIGCONT");
      };
    },
  };
}

function startInProcess(directory: string, options: CrashableOptions): Promise<string> {
  const child = fork(new URL("./cluster-process.ts", import.meta.url), [directory, JSON.stringify(options)], {
    execArgv: [],
  });
  return new Promise((resolve, reject) => {
    child.once("message", (url) => resolve(String(url)));
    child.once("exit", (code) => reject(new Error(`PostgreSQL didn't start: its launcher exited with ${code}.`)));
  });
}

async function findDataFolder(url: string): Promise<string> {
  const [row] = await runStatements<{ folder: string }>(url, "select current_setting('data_directory') as folder");
  return row?.folder ?? "";
}

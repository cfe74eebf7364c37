import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { signalProcess } from "../../../scripts/processes.ts";
import type { Reaper } from "./start-reaper.ts";

/** One process of the service, or of Harbor. */
export type ServerProcess = {
  name: string;
  /** Where it listens; a worker does not. */
  url: string;
  /** Starts it, again after a death. Resolves when it is ready, and keeps trying while PostgreSQL is away. */
  start: () => Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill: () => Promise<void>;
  /** SIGTERM, as a deployment sends; resolves when it is gone. It must end with 0. */
  stop: () => Promise<void>;
  /** Stops it; returns what lets it go on. */
  pause: () => () => void;
  /** How often it ended without being killed, each as a sentence. */
  endings: string[];
};

// A start takes a second or so; PostgreSQL is away for some of them.
const startTriesMax = 60;

/** Describes a process that has not been started yet. */
export function serverProcess({
  name,
  role,
  url,
  settings,
  reaper,
  folder = ".",
}: {
  name: string;
  role: "service-api" | "service-worker" | "partner,partner-worker";
  url: string;
  settings: NodeJS.ProcessEnv;
  reaper: Reaper;
  /** The checkout that it runs, when that is another one. */
  folder?: string;
}): ServerProcess {
  const endings: string[] = [];
  let child: ChildProcess | undefined;
  let isKilled = false;
  mkdirSync("test-results/logs", { recursive: true });
  const logFile = `test-results/logs/crash-${process.pid}-${name}.log`;

  async function start(): Promise<void> {
    for (let tries = 0; !(await tryToStart()); tries++) {
      if (isKilled) return;
      if (tries === startTriesMax) throw new Error(`${name} does not start; ${logFile} says why.`);
    }
  }

  // False: it ended before it was ready, as it must when PostgreSQL is away.
  function tryToStart(): Promise<boolean> {
    isKilled = false;
    const started = spawn(process.execPath, ["scripts/run.mjs", "server.ts"], {
      cwd: folder,
      env: { ...settings, ROLES: role },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    child = started;
    const { pid = 0 } = started;
    reaper.send({ watch: pid });
    const output = createWriteStream(logFile, { flags: "a" });
    started.stdout?.pipe(output);
    started.stderr?.pipe(output);
    return new Promise((resolve) => {
      let isReady = false;
      started.once("message", () => {
        isReady = true;
        resolve(true);
      });
      started.once("exit", (code, signal) => {
        reaper.send({ forget: pid });
        if (!isReady) return resolve(false);
        if (isKilled) return;
        endings.push(`${name} ended by itself with ${code ?? signal}; ${logFile} says why.`);
        // As a process supervisor would. If it does not start again, those who wait for it report that.
        start().catch((error: Error) => endings.push(error.message));
      });
    });
  }

  // Its exit code, or the signal that ended it.
  async function end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    const dying = child;
    isKilled = true;
    if (!dying || dying.exitCode !== null || dying.signalCode !== null) return dying?.exitCode ?? null;
    const gone = new Promise<number | NodeJS.Signals | null>((resolve) =>
      dying.once("exit", (code, ending) => resolve(code ?? ending)),
    );
    dying.kill(signal);
    return gone;
  }

  return {
    name,
    url,
    start,
    kill: async () => void (await end("SIGKILL")),
    stop: async () => {
      const code = await end("SIGTERM");
      if (code !== 0) endings.push(`${name} ended after SIGTERM with ${code}; ${logFile} says why.`);
    },
    pause: () => {
      const { pid = 0 } = child ?? {};
      signalProcess(pid, "SIGSTOP");
      return () => signalProcess(pid, "SIGCONT");
    },
    endings,
  };
}

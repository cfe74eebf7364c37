import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { signalProcess } from "../../../scripts/processes.ts";
import type { Reaper } from "./start-reaper.ts";

export type ServerProcess = {
  name: string;
  /** Workers don't listen. */
  url: string;
  /** Starts or restarts it. Resolves when ready, and retries while PostgreSQL is down. */
  start: () => Promise<void>;
  kill: () => Promise<void>;
  /** SIGTERM, as in a deployment; resolves once it exits, which must be with 0. */
  stop: () => Promise<void>;
  pause: () => () => void;
  /** Unexpected exits, each as a sentence. */
  endings: string[];
};

// Starting takes about a second, plus PostgreSQL's downtime.
const startTriesMax = 60;

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
  /** The checkout to run, if not this one. */
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
      if (tries === startTriesMax) throw new Error(`${name} doesn't start; see ${logFile}.`);
    }
  }

  // False if it exited before it was ready, as it must while PostgreSQL is down.
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
        endings.push(`${name} exited on its own with ${code ?? signal}; see ${logFile}.`);
        // Restart like a supervisor; failures surface where the process is awaited.
        start().catch((error: Error) => endings.push(error.message));
      });
    });
  }

  async function end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    const dying = child;
    isKilled = true;
    if (!dying || dying.exitCode !== null || dying.signalCode !== null) return dying?.exitCode ?? null;
    const exited = new Promise<number | NodeJS.Signals | null>((resolve) =>
      dying.once("exit", (code, ending) => resolve(code ?? ending)),
    );
    dying.kill(signal);
    return exited;
  }

  return {
    name,
    url,
    start,
    kill: async () => void (await end("SIGKILL")),
    stop: async () => {
      const code = await end("SIGTERM");
      if (code !== 0) endings.push(`${name} exited with ${code} after SIGTERM; see ${logFile}.`);
    },
    pause: () => {
      const { pid = 0 } = child ?? {};
      signalProcess(pid, "SIGSTOP");
      return () => signalProcess(pid, "SIGCONT");
    },
    endings,
  };
}

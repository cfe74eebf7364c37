import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { resolve } from "node:path";
import type { Reaper } from "../../crash/processes/start-reaper.ts";

export type StartedProcess = { pid: number; process: ChildProcess; stop: () => Promise<void> };

const runner = resolve(import.meta.dirname, "../../../scripts/run.mjs");
const logs = resolve(import.meta.dirname, "../../../.data/bench/logs");

/** `env` is added to PATH. `speaks`: inherits output instead of writing a log file. `flags` are for Node. */
export type StartOptions = {
  name: string;
  env: Record<string, string | undefined>;
  reaper?: Reaper;
  speaks?: boolean;
  flags?: string[];
};

/**
 * Starts a TypeScript file and waits for its ready message. The reaper stops it with the run; without a reaper, it must
 * exit with its parent.
 */
export function startProcess(
  file: string,
  { name, env, reaper, speaks = false, flags = [] }: StartOptions,
): Promise<StartedProcess> {
  mkdirSync(logs, { recursive: true });
  const logFile = `${logs}/${name}-${process.pid}.log`;
  const log = openSync(logFile, "w");
  const child = spawn(process.execPath, [...flags, runner, file], {
    env: { PATH: process.env["PATH"], NODE_ENV: "production" as const, ...env },
    stdio: ["ignore", speaks ? "inherit" : log, speaks ? "inherit" : log, "ipc"],
    serialization: "advanced",
  });
  closeSync(log);
  const { pid = 0 } = child;
  reaper?.send({ watch: pid });
  const ended = new Promise<void>((done) => {
    child.once("exit", () => {
      reaper?.send({ forget: pid });
      done();
    });
  });
  const stop = async () => {
    child.kill("SIGTERM");
    const hard = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(hard);
  };
  return new Promise((ready, reject) => {
    child.once("message", () => ready({ pid, process: child, stop }));
    child.once("exit", (code, signal) => reject(new Error(`${name} exited with ${code ?? signal}; see ${logFile}.`)));
  });
}

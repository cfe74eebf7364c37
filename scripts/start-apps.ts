import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { loadEnvFile } from "node:process";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { parseRoles } from "../server/roles.ts";
import type { RunningServer, StartOptions } from "../server/start.ts";
import { dataFolderOf, startEmbeddedDatabases } from "./embedded-databases.ts";
import type { Cluster } from "./embedded-postgres.ts";

/** What a command starts in its process. */
export type Start = {
  command: "demo" | "harbor" | "service";
  apps: ("service" | "partner")[];
  /** Like the setting ROLES. */
  roles: string;
  /** Throws a one-sentence error if the settings can't work; nothing has started yet. */
  check: (dataFolder: string) => Promise<void>;
  /** Runs after the check, before the database starts. */
  fillDataFolder?: () => Promise<void>;
  /** Loads Next for the first page, so that the API doesn't wait for it. */
  pagesOnDemand?: boolean;
  /** The closing message for people. */
  greet: (run: { seconds: string; logFile: string }) => Promise<string>;
  /** The data folder, if it isn't the command's own in DATA_FOLDER. */
  dataFolder?: (() => string) | undefined;
  /** One line for a program. With it, nothing else goes to standard output: text for people goes to standard error. */
  announce?: () => string;
  /** Opens a public sandbox, whose databases start empty every time. */
  openPublicSandbox?: StartOptions["openPublicSandbox"];
  /** False if the pages come built, without their sources. */
  hasSources?: boolean;
};

const diskBytesMin = 500 * 1024 * 1024;
const parentPollMs = 500;

/**
 * Runs everything in one process: database, apps, workers. Checks the settings, starts the embedded PostgreSQL, builds the
 * pages if they changed, and opens the listeners. Ctrl-C stops all of it, and so does the exit of a parent that started this
 * process with a channel. If something is missing, the process exits with one sentence and code 1.
 */
export async function startApps(start: Start): Promise<void> {
  const { command, apps, roles, check, greet, announce, hasSources = true, pagesOnDemand = false } = start;
  // The reader of our output may be gone. Reporting that error would cause another one, and so on.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const people = announce ? process.stderr : process.stdout;
  const printLine = process.stdout.write.bind(process.stdout);
  // Next prints its own messages to standard output.
  if (announce) process.stdout.write = process.stderr.write.bind(process.stderr);
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1);
  const say = (sentence: string) => void people.write(`${seconds().padStart(6)} s  ${sentence}\n`);
  let cluster: Cluster | undefined;
  let running: RunningServer | undefined;
  let isStopping = false;

  async function stop(): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    say("Stopping");
    // A half-finished start can't be stopped, so let it end first, successfully or not.
    await starting.catch(() => undefined);
    await running?.stop();
    cluster?.stop();
    process.exit(0);
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop());
  process.on("disconnect", () => void stop());
  if (process.env["npm_command"]) onParentExit(() => void stop());

  async function startAll(): Promise<void> {
    loadEnvFile(existsSync(".env") ? ".env" : ".env.example");
    Object.assign(process.env, { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" });
    const dataFolder = start.dataFolder?.() ?? dataFolderOf(command);
    const logFile = process.env["LOG_FILE"] || (start.dataFolder ? join(dataFolder, "log") : `${dataFolder}.log`);
    process.env["LOG_FILE"] = logFile;
    await check(dataFolder);
    await requireDisk();

    say("Starting PostgreSQL 18");
    // While the database starts. A failure to load is reported below.
    void import("../server/start.ts").then(({ loadApps }) => loadApps(parseRoles(roles))).catch(() => undefined);
    await start.fillDataFolder?.();
    cluster = await startEmbeddedDatabases(dataFolder, apps, { areDropped: start.openPublicSandbox !== undefined });
    if (hasSources) {
      const { ensureBuild } = await import("./ensure-build.ts");
      await ensureBuild(process.env["NEXT_DIST_DIR"] || ".next", say);
    }
    say("Opening the listeners");
    const { startServer } = await import("../server/start.ts");
    running = await startServer(parseRoles(roles), { pagesOnDemand, openPublicSandbox: start.openPublicSandbox });
    if (isStopping) return;
    people.write(await greet({ seconds: seconds(), logFile }));
    if (announce) printLine(`${announce()}\n`);
  }

  const starting = startAll();
  try {
    await starting;
  } catch (error) {
    if (isStopping) return;
    process.stderr.write(`\n${sentenceOf(error)}\n`);
    cluster?.stop();
    process.exit(1);
  }
}

// npm passes a signal only to its shell, which exits and orphans this process.
function onParentExit(act: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && act(), parentPollMs).unref();
}

async function requireDisk(): Promise<void> {
  const { bavail, bsize } = await statfs(".");
  if (bavail * bsize < diskBytesMin) {
    throw new Error(
      "Less than 500 MB of disk space is free here, too little for the database and the build. Free up some and try again.",
    );
  }
}

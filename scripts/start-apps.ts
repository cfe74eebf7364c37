import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { loadEnvFile } from "node:process";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { dataFolderOf, startEmbeddedDatabases } from "./embedded-databases.ts";
import type { Cluster } from "./embedded-postgres.ts";
import { ensureBuild } from "./ensure-build.ts";

/** What one command starts in its process. */
export type Start = {
  command: "demo" | "harbor";
  apps: ("service" | "partner")[];
  /** As the setting ROLES. */
  roles: string;
  /** Throws a sentence when the settings cannot work; nothing has been started yet. */
  check: (dataFolder: string) => Promise<void>;
  /** What is printed at the end. */
  greet: (run: { seconds: string; logFile: string }) => Promise<string>;
};

const diskBytesMin = 500 * 1024 * 1024;

/**
 * Everything in one process: database, apps, workers. Checks the settings, starts the embedded PostgreSQL, builds the pages when
 * they have changed, opens the listeners. Ctrl-C ends all of it; what is missing ends the process with a sentence and code 1.
 */
export async function startApps({ command, apps, roles, check, greet }: Start): Promise<void> {
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1);
  const say = (sentence: string) => void process.stdout.write(`${seconds().padStart(6)} s  ${sentence}\n`);
  let cluster: Cluster | undefined;
  try {
    loadEnvFile(existsSync(".env") ? ".env" : ".env.example");
    Object.assign(process.env, { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" });
    const logFile = process.env["LOG_FILE"] || `${dataFolderOf(command)}.log`;
    process.env["LOG_FILE"] = logFile;
    await check(dataFolderOf(command));
    await requireDisk();

    say("Starting PostgreSQL 18");
    cluster = await startEmbeddedDatabases(dataFolderOf(command), apps);
    await ensureBuild(process.env["NEXT_DIST_DIR"] || ".next", say);
    say("Opening the listeners");
    const { startServer } = await import("../server/start.ts");
    const { parseRoles } = await import("../server/roles.ts");
    const running = await startServer(parseRoles(roles));

    let isStopping = false;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, async () => {
        if (isStopping) return;
        isStopping = true;
        say("Stopping");
        await running.stop();
        cluster?.stop();
        process.exit(0);
      });
    }
    process.stdout.write(await greet({ seconds: seconds(), logFile }));
  } catch (error) {
    process.stderr.write(`\n${sentenceOf(error)}\n`);
    cluster?.stop();
    process.exit(1);
  }
}

async function requireDisk(): Promise<void> {
  const { bavail, bsize } = await statfs(".");
  if (bavail * bsize < diskBytesMin) {
    throw new Error(
      "Less than 500 MB of disk space are free here, too little for the database and the build. Free some and try again.",
    );
  }
}

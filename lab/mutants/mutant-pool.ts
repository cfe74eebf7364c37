import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isAlive } from "../../scripts/processes.ts";
import { startTemplateCluster, type TemplateCluster } from "../../scripts/test-cluster.ts";
import type { Mutant } from "./mutant-list.ts";

/** Tests to run, by file and name pattern, and the fault to plant first, if any. */
export type MutantTask = {
  mutant?: Pick<Mutant, "file" | "find" | "replace">;
  tests: { file: string; pattern: string }[];
  stopsAtFirst: boolean;
};

/** The tests' results. `broken`: errors outside tests, such as a file that couldn't be loaded. */
export type MutantVerdict = {
  passed: number;
  failed: { file: string; path: string[]; isTimeout: boolean }[];
  broken: string[];
};

/** Workers with their own copy of the sources, so that faults affect neither each other nor the working tree. */
export type MutantPool = { run: (task: MutantTask) => Promise<MutantVerdict>; stop: () => Promise<void> };

type Worker = {
  /** Undefined if it didn't answer in time. */
  verdictOn: (task: MutantTask) => Promise<MutantVerdict | undefined>;
  kill: () => void;
  stop: () => Promise<void>;
};

// A fault can make a test run forever.
const taskMsMax = 5 * 60_000;
const leftOut = new Set(["node_modules", ".git", ".data", "dist", "test-results", "playwright-report"]);

/** Starts this many workers, which share two PostgreSQL clusters. */
export async function startMutantPool(size: number): Promise<MutantPool> {
  const copies: string[] = [];
  const clusters: TemplateCluster[] = [];
  const removeAll = () => {
    for (const cluster of clusters.splice(0)) cluster.stop();
    for (const copy of copies.splice(0)) rmSync(copy, { recursive: true, force: true });
  };
  process.once("exit", removeAll);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

  for (const name of ["service", "partner"] as const) clusters.push(await startTemplateCluster(name, "mutants"));
  const settings = {
    ...Object.fromEntries(clusters.map(({ setting, url }) => [setting, url])),
    // Loading the same packages again takes most of a run.
    NODE_COMPILE_CACHE: resolve("test-results/compile-cache"),
  };
  const open = () => {
    const copy = copySources();
    copies.push(copy);
    return startWorker(copy, settings);
  };
  const idle: Worker[] = await Promise.all(Array.from({ length: size }, open));
  const all = new Set(idle);
  const waiting: ((worker: Worker) => void)[] = [];
  const clean = async () => {
    for (const { dropDatabases } of clusters) await dropDatabases((pid) => !isAlive(pid));
  };
  let cleaning = Promise.resolve();

  function giveBack(worker: Worker): void {
    const next = waiting.shift();
    if (next) next(worker);
    else idle.push(worker);
    cleaning = cleaning.then(clean);
  }

  /** Replaces a worker that no longer answers. */
  async function replace(worker: Worker): Promise<Worker> {
    all.delete(worker);
    worker.kill();
    const successor = await open();
    all.add(successor);
    return successor;
  }

  return {
    run: async (task) => {
      const worker = idle.pop() ?? (await new Promise<Worker>((resolve) => waiting.push(resolve)));
      const verdict = await worker.verdictOn(task);
      giveBack(verdict ? worker : await replace(worker));
      return verdict ?? { passed: 0, failed: [], broken: [`no answer within ${taskMsMax / 60_000} minutes`] };
    },
    stop: async () => {
      await Promise.all([...[...all].map((worker) => worker.stop()), cleaning]);
      removeAll();
    },
  };
}

function copySources(): string {
  const copy = mkdtempSync(join(tmpdir(), "gangway-mutants-"));
  const isWanted = (path: string) => !leftOut.has(path) && !path.startsWith(".next");
  cpSync(".", copy, { recursive: true, filter: (source) => isWanted(source) });
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  return copy;
}

async function startWorker(copy: string, settings: Record<string, string>): Promise<Worker> {
  const program = fileURLToPath(new URL("./mutant-worker.ts", import.meta.url));
  // Detached, so that it leads a process group that can be killed along with a hanging test.
  const child = fork(program, {
    cwd: copy,
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
  });
  const output: string[] = [];
  child.stdout?.on("data", (text) => output.push(String(text)));
  child.stderr?.on("data", (text) => output.push(String(text)));
  child.once("exit", (code, signal) => {
    if (code !== 0 && signal === null)
      throw new Error(`A worker exited with ${code}: ${output.join("").slice(-2_000)}`);
  });
  await once(child, "message");
  return {
    verdictOn: async (task) => {
      const answer = once(child, "message", { signal: AbortSignal.timeout(taskMsMax) });
      child.send(task);
      return answer.then(
        ([verdict]) => verdict as MutantVerdict,
        () => undefined,
      );
    },
    kill: () => killGroup(child),
    stop: async () => {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
      // An aborted test may have left a process behind.
      killGroup(child);
    },
  };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

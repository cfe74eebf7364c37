import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listChildren } from "../../../scripts/processes.ts";

const root = "/sys/fs/cgroup";
// Short, so that a process that has used up its share waits only milliseconds.
const periodUs = 10_000;

/**
 * Limits each process, with its current and future children, to a share of a core until the returned function is
 * called. Needs Linux cgroups and root.
 */
export function hold(pids: readonly number[], share: number): () => void {
  const releases: (() => void)[] = [];
  try {
    for (const pid of pids) releases.push(holdOne(pid, share));
  } catch (error) {
    for (const release of releases) release();
    throw new Error("Limiting processes uses cgroups, which need Linux and root.", { cause: error });
  }
  return () => {
    for (const release of releases) release();
  };
}

function holdOne(pid: number, share: number): () => void {
  const isUnified = existsSync(join(root, "cgroup.controllers"));
  const parent = isUnified ? root : join(root, "cpu");
  const group = join(parent, `gangway-bench-${pid}`);
  const quotaUs = Math.round(share * periodUs);
  mkdirSync(group, { recursive: true });
  // The highest weight, so that only the limit matters.
  if (isUnified) {
    writeFileSync(join(root, "cgroup.subtree_control"), "+cpu");
    writeFileSync(join(group, "cpu.weight"), "10000");
    writeFileSync(join(group, "cpu.max"), `${quotaUs} ${periodUs}`);
  } else {
    writeFileSync(join(group, "cpu.shares"), "262144");
    writeFileSync(join(group, "cpu.cfs_period_us"), String(periodUs));
    writeFileSync(join(group, "cpu.cfs_quota_us"), String(quotaUs));
  }
  put([pid, ...listChildren(pid)], group);
  return () => {
    put(readFileSync(join(group, "cgroup.procs"), "utf8").trim().split("\n").map(Number), parent);
    rmdirSync(group);
  };
}

function put(pids: readonly number[], group: string): void {
  for (const pid of pids) {
    try {
      writeFileSync(join(group, "cgroup.procs"), String(pid));
    } catch (error) {
      // The process has exited.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

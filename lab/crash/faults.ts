import { setTimeout as delay } from "node:timers/promises";
import { servicePool } from "../../lib/service/storage/database.ts";
import type { CommitMoment, ProxiedConnection } from "./processes/database-proxy.ts";
import type { Random } from "./random.ts";
import type { CrashStack, ProxiedProcess } from "./stack.ts";

type Victim = number | "worker" | "postgres";

/** One fault. "commits" cuts connections around this many consecutive COMMITs. */
export type Fault =
  | { kind: "kill"; victim: Victim; moment: CommitMoment | "any" }
  | { kind: "pause"; victim: Victim }
  | { kind: "terminate"; victim: number | "worker" | "all" }
  | { kind: "commits"; victim: number | "worker"; moment: CommitMoment; count: number; reset: boolean };

const pauseMs = 5000;

export function planFaults(random: Random, { rounds, apis }: { rounds: number; apis: number }): Fault[] {
  const api = () => random.integer(0, apis - 1);
  const moment = () => random.pick(["before", "sent", "answered"] as const);
  const cut = (fixed: CommitMoment) => ({ moment: fixed, count: random.integer(3, 12), reset: random.chance(50) });
  const kinds: (() => Fault)[] = [
    () => ({ kind: "kill", victim: api(), moment: "any" }),
    () => ({ kind: "kill", victim: api(), moment: moment() }),
    () => ({ kind: "kill", victim: "worker", moment: random.pick(["any", moment()]) }),
    () => ({ kind: "kill", victim: "postgres", moment: "any" }),
    () => ({ kind: "kill", victim: "postgres", moment: moment() }),
    () => ({ kind: "pause", victim: api() }),
    () => ({ kind: "pause", victim: "worker" }),
    () => ({ kind: "pause", victim: "postgres" }),
    () => ({ kind: "terminate", victim: random.pick<number | "worker">([api(), "worker"]) }),
    () => ({ kind: "terminate", victim: "all" }),
    () => ({ kind: "commits", victim: api(), ...cut("before") }),
    () => ({ kind: "commits", victim: api(), ...cut("sent") }),
    () => ({ kind: "commits", victim: api(), ...cut("answered") }),
    () => ({ kind: "commits", victim: "worker", ...cut(moment()) }),
  ];
  const plan: Fault[] = [];
  while (plan.length < rounds) plan.push(...random.shuffle(kinds).map((make) => make()));
  return plan.slice(0, rounds);
}

/** A fault's name for the table and log, by kind and target. */
export function describeFault(fault: Fault): string {
  const victim = typeof fault.victim === "number" ? "an API" : fault.victim === "worker" ? "the worker" : "PostgreSQL";
  switch (fault.kind) {
    case "kill":
      return `${victim} killed${fault.moment === "any" ? "" : " at a COMMIT"}`;
    case "pause":
      return `${victim} paused for ${pauseMs / 1000} s`;
    case "terminate":
      return fault.victim === "all" ? "all backends terminated" : `backends of ${victim} terminated`;
    case "commits":
      return `connections of ${victim} cut ${momentWords[fault.moment]}`;
  }
}

const momentWords: Record<CommitMoment, string> = {
  before: "before COMMIT",
  sent: "right after COMMIT was sent",
  answered: "between COMMIT and its answer",
};

/**
 * Applies a fault and restarts what it killed. Resolves with the start of recovery (Unix ms): fault or end of pause.
 */
export async function strike(fault: Fault, { cluster, apis, worker }: CrashStack): Promise<number> {
  const all = [...apis, worker];
  const victims =
    typeof fault.victim === "number" ? [apis[fault.victim] ?? worker] : fault.victim === "worker" ? [worker] : all;
  const [victim = worker] = victims;
  switch (fault.kind) {
    case "kill": {
      const { connection } =
        fault.moment === "any" ? {} : await commitOf(fault.victim === "worker" ? worker : victim, fault.moment);
      const at = Date.now();
      const target = fault.victim === "postgres" ? cluster : victim;
      await target.kill();
      connection?.cut();
      await target.start();
      return at;
    }
    case "pause": {
      const resume = (fault.victim === "postgres" ? cluster : victim).pause();
      await delay(pauseMs);
      resume();
      return Date.now();
    }
    case "terminate": {
      const at = Date.now();
      await terminateBackends(victims);
      return at;
    }
    case "commits": {
      for (let cuts = 0; cuts < fault.count; cuts++) (await commitOf(victim, fault.moment)).connection.cut(fault);
      return Date.now();
    }
  }
}

/** Terminates all current backends of these processes, and returns how many. */
export async function terminateBackends(victims: ProxiedProcess[]): Promise<number> {
  const ports = victims.flatMap(({ proxy }) => proxy.connections().map(({ clientPort }) => clientPort));
  const { rows } = await servicePool().query<{ pid: number }>(
    "select pid, pg_terminate_backend(pid) from pg_stat_activity where client_port = any ($1::int[])",
    [ports.filter((port) => port !== undefined)],
  );
  const pids = rows.map(({ pid }) => pid);
  // Otherwise rapid repetition would hit the connection limit.
  while (await hasBackends(pids)) await delay(5);
  return pids.length;
}

async function hasBackends(pids: number[]): Promise<boolean> {
  const { rowCount } = await servicePool().query("select from pg_stat_activity where pid = any ($1::int[])", [pids]);
  return rowCount !== 0;
}

export function commitOf(
  { proxy }: ProxiedProcess,
  moment: CommitMoment,
): Promise<{ connection: ProxiedConnection; resume: () => void }> {
  return new Promise((resolve) => {
    proxy.atNextCommit(moment, (connection, resume) => resolve({ connection, resume }));
  });
}

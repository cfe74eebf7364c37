import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, createWriteStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { type CuttableLink, openLink } from "../../../lib/kit/testing/cuttable-link.ts";
import { type Account, freePort, serverAccount } from "../../../scripts/embedded-postgres.ts";
import { isAlive, listChildren, signalProcess } from "../../../scripts/processes.ts";
import { runStatements } from "../../../scripts/run-statements.ts";
import type { Reaper } from "../processes/start-reaper.ts";
import type { Programs } from "./programs.ts";
import { haproxySettings, limitsOfRole, type NodePorts, patroniSettings, pgbouncerSettings } from "./settings.ts";

/** Two PostgreSQL servers under Patroni behind HAProxy: a primary and its synchronous standby. */
export type DatabaseCluster = {
  /** A database URL through the pooler, if any, and HAProxy. */
  url: (database: string) => string;
  /** The same through HAProxy only. */
  directUrl: (database: string) => string;
  createDatabase: (name: string) => Promise<void>;
  /** Resolves with the primary once both nodes are up and replication is synchronous. */
  whole: () => Promise<DatabaseNode>;
  /** Resolves once the other node is the primary. */
  replaced: (node: DatabaseNode) => Promise<void>;
  switchOver: (from: DatabaseNode) => Promise<void>;
  stop: () => Promise<void>;
};

export type DatabaseNode = {
  name: string;
  start: () => void;
  /** SIGKILL to Patroni and all PostgreSQL processes. */
  kill: () => Promise<void>;
  /** SIGSTOP to all of them; returns a resume function. */
  pause: () => () => void;
  /** Partitions it from everything; returns a heal function. */
  cutOff: () => () => void;
};

type Node = DatabaseNode & { ports: NodePorts; links: Links; settingsFile: string };
type Links = Record<"clients" | "checks" | "peerPostgres" | "peerRest" | "etcd", CuttableLink>;
type Options = { folder: string; programs: Programs; reaper: Reaper; hasPooler: boolean };
type Started = { folder: string; programs: Programs; reaper: Reaper; account: Account };

const role = { name: "plainbook", password: randomBytes(12).toString("hex") };
// A node that can't be rewound copies the whole database again.
const waitSecondsMax = 600;

/** Starts etcd, two nodes, HAProxy, and optionally PgBouncer in an existing folder. The reaper cleans up. */
export async function startDatabaseCluster({ hasPooler, ...options }: Options): Promise<DatabaseCluster> {
  const account = serverAccount();
  const started = { ...options, account };
  if (account) chownSync(options.folder, account.uid, account.gid);
  chmodSync(options.folder, 0o711);
  const etcdPort = await startEtcd(started);
  const passwords = { superuser: newPassword(), replication: newPassword(), rewind: newPassword() };
  const first = await prepareNode("node-1", { started, passwords, etcdPort });
  const second = await prepareNode("node-2", { started, passwords, etcdPort });
  const nodes = [first, second] as const;
  first.cutOff = () => cutOff(first, second);
  second.cutOff = () => cutOff(second, first);
  const port = await freePort();
  const haproxyFile = join(options.folder, "haproxy.cfg");
  writeFileSync(haproxyFile, haproxySettings(port, [...nodes]));
  // Only the first node, because the second one copies its database.
  first.start();
  await until("primary", async () => (await membersOf([first])).some(({ role: is }) => is === "leader"));
  second.start();
  launch(started, { name: "haproxy", command: options.programs.haproxy, parameters: ["-db", "-f", haproxyFile] });

  const superuser = `postgres://drill:${passwords.superuser}@127.0.0.1:${port}/postgres`;
  const poolerPort = hasPooler ? await startPooler(started, port) : port;
  const addressBy = (by: number) => (database: string) =>
    `postgres://${role.name}:${role.password}@127.0.0.1:${by}/${database}?target_session_attrs=read-write`;
  const cluster: DatabaseCluster = {
    url: addressBy(poolerPort),
    directUrl: addressBy(port),
    createDatabase: async (name) => void (await runStatements(superuser, `create database ${name} owner ${role.name}`)),
    whole: () => untilWhole(nodes),
    replaced: (node) =>
      until("other primary", async () => {
        const otherNodes = nodes.filter((one) => one !== node);
        return (await membersOf(otherNodes)).some(({ role: is, name }) => is === "leader" && name !== node.name);
      }),
    switchOver: async (from) => {
      const candidate = from === first ? second : first;
      await promisify(execFile)(
        options.programs.patronictl,
        ["-c", candidate.settingsFile, "switchover", "--leader", from.name, "--candidate", candidate.name, "--force"],
        { env: environment(options.programs) },
      );
    },
    stop: async () => {
      for (const { links } of nodes) for (const link of Object.values(links)) await link.stop();
    },
  };
  await cluster.whole();
  await runStatements(superuser, `create role ${role.name} login password '${role.password}'`);
  if (hasPooler) {
    for (const [name, ms] of Object.entries(limitsOfRole))
      await runStatements(superuser, `alter role ${role.name} set ${name} = ${ms}`);
  }
  return cluster;
}

async function startEtcd(started: Started): Promise<number> {
  const [port, peerPort] = [await freePort(), await freePort()];
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  launch(started, {
    name: "etcd",
    command: started.programs.etcd,
    parameters: [
      ...["--name", "drill", "--data-dir", join(started.folder, "etcd"), "--log-level", "warn", "--enable-v2"],
      ...["--listen-client-urls", url, "--advertise-client-urls", url],
      ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
      ...["--initial-cluster", `drill=${peerUrl}`],
    ],
  });
  await until("etcd", async () => (await fetch(`${url}/health`)).ok);
  return port;
}

async function startPooler(started: Started, haproxyPort: number): Promise<number> {
  const port = await freePort();
  const [file, usersFile] = [join(started.folder, "pgbouncer.ini"), join(started.folder, "userlist.txt")];
  writeFileSync(file, pgbouncerSettings(port, haproxyPort, usersFile));
  writeFileSync(usersFile, `"${role.name}" "${role.password}"\n`, { mode: 0o600 });
  if (started.account) chownSync(usersFile, started.account.uid, started.account.gid);
  launch(started, { name: "pgbouncer", command: started.programs.pgbouncer, parameters: [file] });
  return port;
}

type NodeOptions = {
  started: Started;
  passwords: { superuser: string; replication: string; rewind: string };
  etcdPort: number;
};

async function prepareNode(name: string, { started, passwords, etcdPort }: NodeOptions): Promise<Node> {
  const folder = join(started.folder, name);
  mkdirSync(folder, { mode: 0o700 });
  if (started.account) chownSync(folder, started.account.uid, started.account.gid);
  const [postgres, rest] = [await freePort(), await freePort()];
  const links: Links = {
    clients: await openLink(postgres),
    checks: await openLink(rest),
    peerPostgres: await openLink(postgres),
    peerRest: await openLink(rest),
    etcd: await openLink(etcdPort),
  };
  const ports: NodePorts = {
    postgres,
    rest,
    clients: links.clients.port,
    checks: links.checks.port,
    peerPostgres: links.peerPostgres.port,
    peerRest: links.peerRest.port,
    etcd: links.etcd.port,
  };
  const settingsFile = join(folder, "patroni.json");
  const { postgresFolder } = started.programs;
  writeFileSync(settingsFile, patroniSettings({ name, folder, ports, postgresFolder, passwords }), { mode: 0o600 });
  if (started.account) chownSync(settingsFile, started.account.uid, started.account.gid);
  const pidFile = join(folder, "data", "postmaster.pid");
  let patroni: ChildProcess | undefined;

  // Patroni first, then the server before its children, so that nothing gets restarted.
  function stopAll(): number[] {
    const all: number[] = [];
    for (const pid of [patroni?.pid ?? 0, postmasterOf(pidFile)]) {
      signalProcess(pid, "SIGSTOP");
      if (pid > 0) all.push(pid, ...listChildren(pid));
    }
    for (const pid of all) signalProcess(pid, "SIGSTOP");
    return all;
  }

  return {
    name,
    ports,
    links,
    settingsFile,
    start: () => {
      patroni = launch(started, { name, command: started.programs.patroni, parameters: [settingsFile] });
    },
    kill: async () => {
      const all = stopAll();
      for (const pid of all) signalProcess(pid, "SIGKILL");
      while (all.some(isAlive)) await delay(5);
    },
    pause: () => {
      const all = stopAll();
      return () => {
        for (const pid of all) signalProcess(pid, "SIGCONT");
      };
    },
    // Set once both nodes exist.
    cutOff: () => () => undefined,
  };
}

// Cuts its own routes, and the other node's routes to it.
function cutOff(node: Node, other: Node): () => void {
  const links = [...Object.values(node.links), other.links.peerPostgres, other.links.peerRest];
  for (const link of links) link.cut();
  return () => {
    for (const link of links) link.mend();
  };
}

function launch(
  { programs, reaper, account }: Started,
  { name, command, parameters }: { name: string; command: string; parameters: string[] },
): ChildProcess {
  mkdirSync("test-results/logs", { recursive: true });
  const output = createWriteStream(`test-results/logs/failover-${process.pid}-${name}.log`, { flags: "a" });
  const child = spawn(command, parameters, {
    ...account,
    cwd: "/",
    env: environment(programs),
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const { pid = 0 } = child;
  reaper.send({ watch: pid });
  child.once("exit", () => reaper.send({ forget: pid }));
  return child;
}

function environment({ postgresFolder }: Programs): NodeJS.ProcessEnv {
  return { NODE_ENV: "production", LC_ALL: "C.UTF-8", PATH: `${postgresFolder}:/usr/sbin:/usr/bin:/sbin:/bin` };
}

type Member = { name: string; role: string; state: string };

/** The cluster state from the first Patroni that responds. */
async function membersOf(nodes: readonly Node[]): Promise<Member[]> {
  for (const { ports } of nodes) {
    try {
      const answer = await fetch(`http://127.0.0.1:${ports.rest}/cluster`, { signal: AbortSignal.timeout(1000) });
      const { members } = (await answer.json()) as { members?: Member[] };
      if (members) return members;
    } catch {}
  }
  return [];
}

async function untilWhole(nodes: readonly [Node, Node]): Promise<DatabaseNode> {
  let primary: DatabaseNode = nodes[0];
  await until("primary with a synchronous standby", async () => {
    const members = await membersOf(nodes);
    const leader = members.find(({ role: is, state }) => is === "leader" && state === "running");
    const standby = members.find(
      ({ role: is, state }) => is === "sync_standby" && /^(?:running|streaming)$/.test(state),
    );
    primary = nodes.find(({ name }) => name === leader?.name) ?? primary;
    return Boolean(leader && standby);
  });
  return primary;
}

async function until(what: string, isReached: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + waitSecondsMax * 1000;
  while (Date.now() < giveUpAt) {
    if (await isReached().catch(() => false)) return;
    await delay(100);
  }
  throw new Error(`Timed out after ${waitSecondsMax} s waiting for a ${what}; see test-results/logs.`);
}

function postmasterOf(pidFile: string): number {
  try {
    return Number(readFileSync(pidFile, "utf8").split("\n")[0]);
  } catch {
    return 0;
  }
}

function newPassword(): string {
  return randomBytes(12).toString("hex");
}

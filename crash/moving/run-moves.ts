import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { parseEnv } from "node:util";
import pg from "pg";
import { servicePool } from "../../lib/service/storage/database.ts";
import { freePort } from "../../scripts/embedded-postgres.ts";
import { checkHistory, type Findings } from "../check-history.ts";
import { longestOutageMs } from "../failover/outage.ts";
import { type Booking, isSuccess, type Operation } from "../history.ts";
import { type Load, startLoad } from "../load.ts";
import { createRunClient, type RunClient } from "../people.ts";
import { startCrashableCluster } from "../processes/cluster.ts";
import { type ServerProcess, serverProcess } from "../processes/server-process.ts";
import { startReaper } from "../processes/start-reaper.ts";
import { createProgress } from "../progress.ts";
import { type Random, randomFrom } from "../random.ts";
import { startWebhookReceiver } from "../receiver.ts";
import { countOutcomes, settle } from "../run-crash.ts";
import { type Home, type Router, startRouter } from "./start-router.ts";

export type MoveOptions = { haproxy: string; rounds: number; seed: number; say: (sentence: string) => void };

/** One client's move under load. */
export type MoveReport = {
  /** How often the process that moves was killed before it got through, and how often it said that it could not. */
  kills: number;
  failures: number;
  /** The longest time in which nothing was booked for this client, and the longest for another one, in milliseconds. */
  pauseMs: number;
  pauseOfOthersMs: number;
};

/** What a drill found. Sound: no findings and no endings. */
export type MovesReport = {
  moves: MoveReport[];
  acknowledged: number;
  unanswered: number;
  findings: Findings;
  /** Processes that ended by themselves and books that do not agree, each a sentence. */
  endings: string[];
};

type Installation = {
  name: Home;
  databaseUrl: string;
  settings: NodeJS.ProcessEnv;
  api: ServerProcess;
  worker: ServerProcess;
};

const waitMsMax = 120_000;
const triesMax = 5;

/**
 * Moves clients from one installation to another and back while they book, in every second round with the process that moves
 * killed on its way; compares in the end what was answered with what is there. Two PostgreSQL clusters, an API and a worker
 * for each, and HAProxy before them, all on free ports of loopback.
 */
export async function runMoves({ haproxy, rounds, seed, say }: MoveOptions): Promise<MovesReport> {
  const reaper = startReaper();
  const folder = mkdtempSync(join(tmpdir(), "gangway-moving-"));
  reaper.tell({ folder });
  const stops: (() => unknown)[] = [];
  try {
    say("Starting two PostgreSQL clusters, an API and a worker for each, and HAProxy.");
    const routerPort = await freePort();
    const installations: Installation[] = [];
    for (const name of ["first", "second"] as const) {
      const cluster = await startCrashableCluster(reaper, `crash-${name}`);
      const databaseUrl = await createDatabase(cluster.url());
      const settings = settingsOf(databaseUrl, routerPort);
      const start = async (role: "service-api" | "service-worker") => {
        const url = `http://127.0.0.1:${await freePort()}`;
        const own = { ...settings, SERVICE_LISTEN_PORT: new URL(url).port };
        const server = serverProcess({ name: `moving-${name}-${role}`, role, url, settings: own, reaper });
        stops.push(() => server.kill());
        return server;
      };
      const [api, worker] = [await start("service-api"), await start("service-worker")];
      // It migrates.
      await api.start();
      await worker.start();
      installations.push({ name, databaseUrl, settings, api, worker });
    }
    const [first, second] = installations as [Installation, Installation];
    Object.assign(process.env, first.settings, { LOG_LEVEL: "silent" });
    stops.push(() => servicePool().end());

    const progress = createProgress();
    const receiver = await startWebhookReceiver(progress.noteWebhook);
    stops.push(() => receiver.stop());
    const clients: RunClient[] = [];
    while (clients.length < 3) {
      clients.push(await createRunClient({ webhookUrl: receiver.url, sourceCount: 1, sellerCount: 1 }));
    }
    const addresses = { first: new URL(first.api.url).host, second: new URL(second.api.url).host };
    const clientIds = clients.map(({ client }) => client.clientId);
    const router = await startRouter({ program: haproxy, folder, reaper, addresses, clientIds, port: routerPort });
    const load = startLoad({ seed, clients, apis: [{ name: "router", url: router.url }], progress, ...actors });
    stops.push(() => load.stop());
    await progress.bookings(100);

    const endings: string[] = [];
    const run = { load, router, clients, random: randomFrom(seed, "moves"), say };
    const moves: MoveReport[] = [];
    const homes = new Map<RunClient, Installation>(clients.map((client) => [client, first]));
    const moveOne = async (client: RunClient, mayKill: boolean) => {
      const from = homes.get(client) ?? first;
      const to = from === first ? second : first;
      moves.push(await moveUnderLoad(run, { client, from, to, isKilled: mayKill }));
      homes.set(client, to);
      say(tellMove(moves.length, to.name, moves.at(-1)));
    };
    for (let round = 0; round < rounds; round++) {
      await moveOne(clients[round % clients.length] as RunClient, round % 2 === 1);
      // Clients live in both now, with what they have left in the other.
      if (round % clients.length === 1) endings.push(...(await compareBooks(installations)));
    }
    for (const client of clients) if (homes.get(client) === second) await moveOne(client, false);

    await load.stop();
    say("Waiting until the workers have nothing left to do, then comparing.");
    await settle({ awaitsLeases: true });
    const findings = await checkHistory(load, receiver.deliveries);
    endings.push(...(await compareBooks(installations)));
    const servers = installations.flatMap(({ api, worker }) => [api, worker]);
    endings.push(...servers.flatMap((server) => server.endings));
    const { acknowledged, unanswered } = countOutcomes(load.operations);
    return { moves, acknowledged, unanswered, findings, endings };
  } finally {
    for (const stop of stops.reverse()) await stop();
    await reaper.finish();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const actors = { hotBookers: 4, otherBookers: 3, creators: 1 };

type Run = { load: Load; router: Router; clients: RunClient[]; random: Random; say: MoveOptions["say"] };
type MoveOrder = { client: RunClient; from: Installation; to: Installation; isKilled: boolean };

/** Moves a client as an operator does, until it has worked, and tells the router; then waits until it is served there. */
async function moveUnderLoad(
  { load, router, clients, random, say }: Run,
  { client, from, to, isKilled }: MoveOrder,
): Promise<MoveReport> {
  const startedAt = Date.now();
  const { clientId } = client.client;
  const parameters = [clientId, to.databaseUrl];
  let kills = 0;
  while (isKilled && kills < 5) {
    const moved = await runScript("move-client", { from, parameters, killAfterMs: random.integer(300, 3000) });
    if (moved.code === 0) break;
    kills += 1;
  }
  let failures = 0;
  for (;;) {
    const moved = await runScript("move-client", { from, parameters });
    if (moved.code === 0) break;
    // What its message asks for: the same again.
    say(`The move failed: ${moved.output}`);
    failures += 1;
    if (failures === triesMax) throw new Error("A client cannot be moved.");
  }
  await router.send(clientId, to.name);
  await untilBooked(load.operations, client, Date.now());
  if (random.chance(50)) {
    const cleared = await runScript("move-client", { from, parameters: [...parameters, "--clear"] });
    if (cleared.code !== 0) throw new Error(`Clearing failed: ${cleared.output}`);
  }
  const period = { from: startedAt, to: Date.now() };
  const pauseOf = (one: RunClient) => longestOutageMs(bookingsOf(load.operations, one), period);
  const others = clients.filter((one) => one !== client);
  return { kills, failures, pauseMs: pauseOf(client), pauseOfOthersMs: Math.max(...others.map(pauseOf)) };
}

function bookingsOf(operations: Operation[], { walletIds }: RunClient): Booking[] {
  return operations
    .filter((one) => one.kind === "booking")
    .filter(({ destinationId }) => walletIds.includes(destinationId));
}

async function untilBooked(operations: Operation[], client: RunClient, since: number): Promise<void> {
  const giveUpAt = Date.now() + waitMsMax;
  const isBooked = () =>
    bookingsOf(operations, client).some(({ attempts }) =>
      attempts.some(({ sentAt, outcome }) => sentAt >= since && isSuccess(outcome)),
    );
  while (!isBooked()) {
    if (Date.now() > giveUpAt) throw new Error("Nothing was booked for a client that was moved.");
    await delay(20);
  }
}

async function compareBooks(installations: Installation[]): Promise<string[]> {
  const sentences: string[] = [];
  for (const from of installations) {
    const { code, output } = await runScript("reconcile", { from, parameters: [] });
    if (code !== 0) sentences.push(`The books of the ${from.name} installation do not agree: ${output}`);
  }
  return sentences;
}

type Script = { from: Installation; parameters: string[]; killAfterMs?: number };

/** Runs one of the project's commands against an installation. */
async function runScript(name: string, { from, parameters, killAfterMs }: Script) {
  const child = spawn(process.execPath, [`scripts/${name}.ts`, ...parameters], {
    env: from.settings,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [output, problem] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await ended;
  clearTimeout(timer);
  return { code, output: `${output}${problem}`.trim() };
}

function tellMove(count: number, to: Home, move: MoveReport | undefined): string {
  const { kills = 0, pauseMs = 0, pauseOfOthersMs = 0 } = move ?? {};
  return (
    `${count}: to the ${to}, ${kills} times killed on the way; nothing booked for ${(pauseMs / 1000).toFixed(1)} s, ` +
    `for the others ${(pauseOfOthersMs / 1000).toFixed(1)} s`
  );
}

function settingsOf(databaseUrl: string, routerPort: number) {
  const url = `http://127.0.0.1:${routerPort}`;
  return {
    ...parseEnv(readFileSync(".env.example", "utf8")),
    PATH: process.env["PATH"],
    NODE_ENV: "production" as const,
    SERVICE_DATABASE_URL: databaseUrl,
    SERVICE_BASE_URL: url,
    SERVICE_AUTH_URL: url,
    SERVICE_SCREENING_DELAY_MS: "200",
    SERVICE_SETTLEMENT_DELAY_MS: "200",
    LOG_LEVEL: "warn",
    LOG_FILE: "",
  };
}

async function createDatabase(clusterUrl: string): Promise<string> {
  const url = new URL(clusterUrl);
  const maker = new pg.Client({ connectionString: url.href });
  await maker.connect();
  await maker.query("create database plainbook");
  await maker.end();
  url.pathname = "/plainbook";
  return url.href;
}

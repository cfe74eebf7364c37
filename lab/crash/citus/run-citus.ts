import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { migrateDatabase } from "../../../lib/kit/migrate-database.ts";
import { type Cell, cellsOf, inCell, schemaOf } from "../../../lib/service/cells.ts";
import { sweep } from "../../../lib/service/operations/sweep.ts";
import { listCellNodes, moveCell } from "../../../lib/service/storage/cell-nodes.ts";
import { migrationsFolder, servicePool } from "../../../lib/service/storage/database.ts";
import { freePort } from "../../../scripts/embedded-postgres.ts";
import { checkHistory, type Findings } from "../check-history.ts";
import { longestOutageMs } from "../failover/outage.ts";
import { findHarborEndings, processSettings, receiptsOf, settingsOfHarbor } from "../harbor.ts";
import { type Load, startLoad } from "../load.ts";
import { createRunClient, type RunClient } from "../people.ts";
import { type ServerProcess, serverProcess } from "../processes/server-process.ts";
import { startReaper } from "../processes/start-reaper.ts";
import { createProgress, type Progress } from "../progress.ts";
import { type Random, randomFrom } from "../random.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../receiver.ts";
import { countOutcomes, settle } from "../run-crash.ts";
import { ask, type CitusCluster, type CitusNode, distributeSchemas, startCitusCluster } from "./citus-cluster.ts";

export const faults = ["killed", "paused"] as const;
type Fault = (typeof faults)[number];

/** A fault, and the longest time without service of each cell, on the node and elsewhere. */
export type Round = { node: string; fault: Fault; onNodeMs: number[]; elsewhereMs: number[] };
/** A move without a fault: how long it took, and the longest time that the cell booked nothing. */
export type Move = { cell: Cell; tookMs: number; outageMs: number };

export type CitusReport = {
  rounds: Round[];
  moves: Move[];
  /** Moves that a fault ended, and that succeeded when repeated. */
  interruptedMoves: number;
  cells: { cell: Cell; acknowledged: number; unanswered: number; failed: number; worstOutageMs: number }[];
  findings: Findings;
  /** Processes that ended by themselves, refusals that are missing, and commands that failed, as sentences. */
  endings: string[];
};

const cellCount = 8;
const pauseMs = { min: 3000, max: 8000 };
const database = "gangway_service";

type Options = { programs: string; rounds: number; seed: number; say: (sentence: string) => void };
type LoadedCell = { cell: Cell; load: Load; progress: Progress; receiver: WebhookReceiver };

/**
 * Kills and pauses the nodes in turn under load in eight cells, and moves cells between them. Then compares the answers with the
 * data, cell by cell. Uses a temporary folder and free local ports, cleaned up at the end.
 */
export async function runCitusDrill({ programs, rounds, seed, say }: Options): Promise<CitusReport> {
  const reaper = startReaper();
  const folder = mkdtempSync(join(tmpdir(), "gangway-citus-"));
  chmodSync(folder, 0o711);
  reaper.send({ folder });
  const stops: (() => unknown)[] = [];
  const cells = cellsOf(cellCount);
  try {
    say("Starting Citus with a coordinator and two workers.");
    const cluster = await startCitusCluster({ folder, programs, database, workerCount: 2, reaper });
    await ask(cluster.url("postgres"), "create database gangway_partner");
    for (const schema of cells.map(schemaOf)) {
      await migrateDatabase(cluster.url(database), migrationsFolder, { schema });
    }
    await distributeSchemas(cluster.url(database), cells.slice(1).map(schemaOf));
    const missing = await findMissingRefusals(cluster, cells);

    say("Starting two APIs, two workers and Harbor.");
    const settings = processSettings({
      SERVICE_DATABASE_URL: cluster.url(database),
      SERVICE_DATABASE_DIRECT_URL: "",
      SERVICE_CELLS: String(cellCount),
      PARTNER_DATABASE_URL: cluster.url("gangway_partner"),
      PARTNER_DATABASE_DIRECT_URL: "",
    });
    Object.assign(process.env, settings, { LOG_LEVEL: "silent" });
    for (const cell of cells) stops.push(() => inCell(cell, servicePool).end());
    const startOne = async (name: string, role: "service-api" | "service-worker"): Promise<ServerProcess> => {
      const url = `http://127.0.0.1:${await freePort()}`;
      const own = { ...settings, SERVICE_BASE_URL: url, SERVICE_AUTH_URL: url };
      const server = serverProcess({ name: `citus-${name}`, role, url, settings: own, reaper });
      stops.push(() => server.kill());
      await server.start();
      return server;
    };
    const harborUrl = `http://127.0.0.1:${await freePort()}`;
    const receivers = await Promise.all(
      cells.map(async (cell) => {
        const progress = createProgress();
        const receiver = await startWebhookReceiver(progress.noteWebhook);
        stops.push(() => receiver.stop());
        return { cell, progress, receiver };
      }),
    );
    const newClient = (cell: Cell, webhookUrl: string) =>
      inCell(cell, () => createRunClient({ webhookUrl, sourceCount: 1, sellerCount: 1 }));
    const firstApi = await startOne("api-1", "service-api");
    const clients: RunClient[] = [];
    for (const { cell, receiver } of receivers) clients.push(await newClient(cell, receiver.url));
    const harborsCell = cellCount;
    const harbors = await newClient(harborsCell, `${harborUrl}/webhooks`);
    const apis = [firstApi, await startOne("api-2", "service-api")];
    const workers = [await startOne("worker-1", "service-worker"), await startOne("worker-2", "service-worker")];
    const harborSettings = { ...settings, ...settingsOfHarbor(harbors, harborUrl, firstApi.url) };
    const harbor = serverProcess({
      ...{ name: "citus-harbor", role: "partner,partner-worker", url: harborUrl, settings: harborSettings, reaper },
    });
    stops.push(() => harbor.kill());
    await harbor.start();

    const loaded = receivers.map(({ cell, progress, receiver }, place): LoadedCell => {
      const all = [...clients.slice(place, place + 1), ...(cell === harborsCell ? [harbors] : [])];
      const actors = { hotBookers: 2, otherBookers: 1, creators: 1 };
      const load = inCell(cell, () => startLoad({ seed: seed + cell, clients: all, apis, progress, ...actors }));
      stops.push(() => load.stop());
      return { cell, load, progress, receiver };
    });
    const faulted = await strikeInTurn({ cluster, cells, loaded, apis, rounds, seed, say });
    await Promise.all(loaded.map(({ load }) => load.stop()));

    say("Waiting until the workers have nothing left to do, then comparing.");
    await Promise.all(cells.map((cell) => inCell(cell, () => settle({ awaitsLeases: true }))));
    const atHarbor = await receiptsOf(cluster.url("gangway_partner"));
    const findings = await Promise.all(
      loaded.map(({ cell, load, receiver }) => {
        const deliveries = new Map([...receiver.deliveries, ...(cell === harborsCell ? atHarbor : [])]);
        return inCell(cell, () => checkHistory(load, deliveries));
      }),
    );
    return {
      ...faulted,
      cells: loaded.map(({ cell, load }) => ({
        cell,
        ...countOutcomes(load.operations),
        worstOutageMs: Math.max(0, ...faulted.outagesOf.map((outages) => outages.get(cell) ?? 0)),
      })),
      findings: joinFindings(findings),
      endings: [
        ...missing,
        ...[...apis, ...workers, harbor].flatMap(({ endings }) => endings),
        ...(await findHarborEndings(harborUrl, atHarbor)),
        ...(await sweepCells(cells)),
        ...(await reconcileByCommand(settings)),
      ],
    };
  } finally {
    for (const stop of stops.reverse()) await stop();
    await reaper.finish();
  }
}

type Striking = Pick<Options, "rounds" | "seed" | "say"> & {
  cluster: CitusCluster;
  cells: Cell[];
  loaded: LoadedCell[];
  apis: ServerProcess[];
};

async function strikeInTurn({ cluster, cells, loaded, apis, rounds: wanted, seed, say }: Striking) {
  const random = randomFrom(seed, "nodes");
  const nodes = [cluster.coordinator, ...cluster.workers];
  const names = apis.map(({ name }) => name);
  const rounds: Round[] = [];
  const moves: Move[] = [];
  const outagesOf: Map<Cell, number>[] = [];
  let interruptedMoves = 0;
  const allServing = () => Promise.all(loaded.map(({ progress }) => progress.serving(names, Date.now())));
  const outageOf = ({ load }: LoadedCell, from: number) => longestOutageMs(load.operations, { from, to: Date.now() });

  await allServing();
  while (rounds.length < wanted) {
    const node = nodes[rounds.length % nodes.length] ?? cluster.coordinator;
    const fault = faults[Math.floor(rounds.length / nodes.length) % faults.length] ?? "killed";

    // First a move by itself, for the time that it blocks writes.
    const moved = await planMove(cluster, cells, random);
    const movedFrom = Date.now();
    await inClient(cluster, (client) => moveCell(client, { ...moved, cells }));
    const tookMs = Date.now() - movedFrom;
    await allServing();
    const outages = loaded.map((one) => (one.cell === moved.cell ? outageOf(one, movedFrom) : 0));
    moves.push({ cell: moved.cell, tookMs, outageMs: Math.max(...outages) });

    // Then one that the fault meets.
    const placed = await cellsOn(cluster, cells, node);
    const met = await planMove(cluster, cells, random);
    const from = Date.now();
    const moving = inClient(cluster, (client) => moveCell(client, { ...met, cells })).then(
      () => true,
      () => false,
    );
    await delay(random.integer(0, 1500));
    await strike(node, fault, random);
    const wasMoved = await moving;
    await allServing();
    const outageByCell = new Map(loaded.map((one) => [one.cell, outageOf(one, from)]));
    outagesOf.push(outageByCell);
    if (!wasMoved) interruptedMoves += 1;
    if (!wasMoved) await repeatMove(cluster, { ...met, cells });
    const timesOf = (isOnNode: boolean) =>
      [...outageByCell].flatMap(([cell, ms]) => (placed.includes(cell) === isOnNode ? [ms] : []));
    const round: Round = { node: node.name, fault, onNodeMs: timesOf(true), elsewhereMs: timesOf(false) };
    rounds.push(round);
    say(
      `${rounds.length} of ${wanted}: ${node.name} ${fault}, its cells ${seconds(round.onNodeMs)} s without service, ` +
        `others ${seconds(round.elsewhereMs)} s; moving cell ${met.cell} ${wasMoved ? "went on" : "was repeated"}`,
    );
  }
  return { rounds, moves, interruptedMoves, outagesOf };
}

async function strike(node: CitusNode, fault: Fault, random: Random): Promise<void> {
  if (fault === "killed") {
    await node.kill();
    await delay(random.integer(0, 3000));
    await node.start();
  } else {
    const resume = node.pause();
    try {
      await delay(random.integer(pauseMs.min, pauseMs.max));
    } finally {
      resume();
    }
  }
}

/** A cell that a worker holds, and another worker. */
async function planMove(cluster: CitusCluster, cells: Cell[], random: Random): Promise<{ cell: Cell; to: string }> {
  const nodes = await inClient(cluster, (client) => listCellNodes(client, cells));
  const placed = nodes.flatMap(({ address, cells: own }) => own.map((cell) => ({ cell, from: address })));
  const [first, ...others] = placed;
  if (!first) throw new Error("No worker holds a cell.");
  const { cell, from } = random.pick([first, ...others]);
  const to = nodes.find(({ address }) => address !== from)?.address;
  if (to === undefined) throw new Error("A cell can only move where there are two workers.");
  return { cell, to };
}

/** The coordinator's own is the first, which Citus can't distribute. */
async function cellsOn(cluster: CitusCluster, cells: Cell[], { address }: CitusNode): Promise<Cell[]> {
  const nodes = await inClient(cluster, (client) => listCellNodes(client, cells));
  const distributed = nodes.flatMap((node) => node.cells);
  return address === cluster.coordinator.address
    ? cells.filter((cell) => !distributed.includes(cell))
    : nodes.flatMap((node) => (node.address === address ? node.cells : []));
}

const moveTries = 20;

async function repeatMove(cluster: CitusCluster, move: { cell: Cell; to: string; cells: Cell[] }): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await inClient(cluster, (client) => moveCell(client, move));
      return;
    } catch (error) {
      // The first may have been completed before its answer was lost.
      if (error instanceof Error && error.message.includes("already on")) return;
      if (tries === moveTries) throw error;
      await delay(1000);
    }
  }
}

/** Each must be refused with a sentence, and move nothing. */
async function findMissingRefusals(cluster: CitusCluster, cells: Cell[]): Promise<string[]> {
  const [one = ""] = cluster.workers.map(({ address }) => address);
  const nodes = await inClient(cluster, (client) => listCellNodes(client, cells));
  const [home] = nodes.flatMap((node) => (node.address === one ? node.cells : []));
  const wanted = [
    { cell: cells.length + 1, to: one, says: `There is no cell ${cells.length + 1}` },
    { cell: 1, to: one, says: "Cell 1 isn't distributed" },
    { cell: home ?? 2, to: "127.0.0.1:1", says: "No node for cells has the address 127.0.0.1:1" },
    { cell: home ?? 2, to: cluster.coordinator.address, says: "No node for cells has the address" },
    { cell: home ?? 2, to: one, says: `is already on ${one}` },
  ];
  const missing: string[] = [];
  for (const { cell, to, says } of wanted) {
    const answer = await inClient(cluster, (client) => moveCell(client, { cell, to, cells })).catch(String);
    if (!answer.includes(says)) missing.push(`Moving cell ${cell} to ${to} wasn't refused: ${answer}`);
  }
  return missing;
}

/** The months and what has expired, in each cell. A failure lies in the quarantine. */
async function sweepCells(cells: Cell[]): Promise<string[]> {
  const failed = await Promise.all(
    cells.map((cell) =>
      inCell(cell, async () => {
        await sweep(AbortSignal.timeout(60_000));
        const { rows } = await servicePool().query<{ kind: string; id: string; reason: string }>(
          "select kind, id, reason from quarantine",
        );
        return rows.map(({ kind, id, reason }) => `Cell ${cell} has ${kind} ${id} set aside: ${reason}`);
      }),
    ),
  );
  return failed.flat();
}

async function reconcileByCommand(settings: NodeJS.ProcessEnv): Promise<string[]> {
  const child = spawn(process.execPath, ["scripts/run.mjs", "scripts/reconcile.ts"], { env: settings });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => said.push(String(text)));
  const [code] = await once(child, "exit");
  return code === 0 ? [] : [`npm run reconcile ended with ${code}: ${said.join("")}`];
}

async function inClient<T>(cluster: CitusCluster, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: cluster.url(database) });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function joinFindings(all: Findings[]): Findings {
  const joined = (kind: keyof Findings) => all.flatMap((findings) => findings[kind]);
  return {
    lost: joined("lost"),
    doubled: joined("doubled"),
    unbalanced: joined("unbalanced"),
    undelivered: joined("undelivered"),
    falseFailures: joined("falseFailures"),
    wrongAnswers: joined("wrongAnswers"),
  };
}

function seconds(times: number[]): string {
  return (Math.max(0, ...times) / 1000).toFixed(1);
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Cell, cellsOf, firstCell, inCell } from "../../../lib/service/cells.ts";
import { sweep } from "../../../lib/service/operations/sweep.ts";
import { forgetHosts } from "../../../lib/service/storage/cell-addresses.ts";
import { listCellNodes, type Move, moveCell } from "../../../lib/service/storage/cell-nodes.ts";
import { servicePool } from "../../../lib/service/storage/database.ts";
import { migrateCells, withClient } from "../../../lib/service/storage/migrate-cells.ts";
import { freePort } from "../../../scripts/embedded-postgres.ts";
import { checkHistory, type Findings } from "../check-history.ts";
import { longestOutageMs } from "../failover/outage.ts";
import { findHarborProblems, processSettings, receiptsOf, settingsOfHarbor } from "../harbor.ts";
import { type Load, startLoad } from "../load.ts";
import { createRunClient, type RunClient } from "../people.ts";
import { type ServerProcess, serverProcess } from "../processes/server-process.ts";
import { startReaper } from "../processes/start-reaper.ts";
import { createProgress, type Progress } from "../progress.ts";
import { type Random, randomFrom } from "../random.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../receiver.ts";
import { countOutcomes, settle } from "../run-crash.ts";
import { type CellServer, hostsOfServer, startCellServers } from "./cell-servers.ts";

export const faults = ["killed", "paused"] as const;
type Fault = (typeof faults)[number];

/** A fault, and each cell's longest time without service, on the node and elsewhere. */
export type Round = { node: string; fault: Fault; onNodeMs: number[]; elsewhereMs: number[] };
/** A move without a fault: its duration, and the longest time without bookings in the cell. */
export type TimedMove = { cell: Cell; tookMs: number; closedMs: number; outageMs: number };

export type NodesReport = {
  rounds: Round[];
  moves: TimedMove[];
  /** Moves that a fault interrupted, and that succeeded when repeated. */
  interruptedMoves: number;
  cells: { cell: Cell; acknowledged: number; unanswered: number; failed: number; worstOutageMs: number }[];
  findings: Findings;
  /** Processes that exited on their own, missing refusals, and failed commands, as sentences. */
  endings: string[];
};

const pauseMs = { min: 3000, max: 8000 };
const database = "gangway_service";

type Options = {
  programs: string | undefined;
  cellCount: number;
  rounds: number;
  seed: number;
  say: (sentence: string) => void;
};
type LoadedCell = { cell: Cell; load: Load; progress: Progress; receiver: WebhookReceiver };

/**
 * Kills and pauses the nodes in turn under load in all cells, and moves cells between them. Then compares answers and
 * data, cell by cell. Uses a temporary folder and free local ports, and cleans up at the end.
 */
export async function runNodesDrill({ programs, cellCount, rounds, seed, say }: Options): Promise<NodesReport> {
  const reaper = startReaper();
  const folder = mkdtempSync(join(tmpdir(), "gangway-nodes-"));
  chmodSync(folder, 0o711);
  reaper.send({ folder });
  const stops: (() => unknown)[] = [];
  const cells = cellsOf(cellCount);
  try {
    say("Starting three PostgreSQL servers.");
    const servers = await startCellServers({ folder, programs, database, reaper });
    const [home] = servers;
    await withClient(home.url("postgres"), (client) => client.query("create database gangway_partner"));
    const url = home.url(database);
    await migrateCells(url, cells);
    const missing = await findMissingRefusals(url, cells, servers);
    // A third of the cells on each server.
    for (const cell of cells) {
      const server = servers[(cell - firstCell) % servers.length] ?? home;
      if (server !== home) await moveCell({ url, cell, to: hostsOfServer(server), cells });
    }

    say("Starting two APIs, two workers and Harbor.");
    const settings = processSettings({
      SERVICE_DATABASE_URL: url,
      SERVICE_DATABASE_DIRECT_URL: "",
      SERVICE_CELLS: String(cellCount),
      PARTNER_DATABASE_URL: home.url("gangway_partner"),
      PARTNER_DATABASE_DIRECT_URL: "",
    });
    Object.assign(process.env, settings, { LOG_LEVEL: "silent" });
    for (const cell of cells) stops.push(() => inCell(cell, servicePool).end());
    const startOne = async (name: string, role: "service-api" | "service-worker"): Promise<ServerProcess> => {
      const url = `http://127.0.0.1:${await freePort()}`;
      const apiSettings = { ...settings, SERVICE_BASE_URL: url, SERVICE_AUTH_URL: url };
      const server = serverProcess({ name: `nodes-${name}`, role, url, settings: apiSettings, reaper });
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
      ...{ name: "nodes-harbor", role: "partner,partner-worker", url: harborUrl, settings: harborSettings, reaper },
    });
    stops.push(() => harbor.kill());
    await harbor.start();

    const loaded = receivers.map(({ cell, progress, receiver }, index): LoadedCell => {
      const all = [...clients.slice(index, index + 1), ...(cell === harborsCell ? [harbors] : [])];
      const actors = { hotBookers: 2, otherBookers: 1, creators: 1 };
      const load = inCell(cell, () => startLoad({ seed: seed + cell, clients: all, apis, progress, ...actors }));
      stops.push(() => load.stop());
      return { cell, load, progress, receiver };
    });
    const faulted = await strikeInTurn({ url, servers, cells, loaded, apis, rounds, seed, say });
    await Promise.all(loaded.map(({ load }) => load.stop()));

    say("Waiting until the workers are idle, then comparing.");
    // The service's processes listen for moves; the drill doesn't.
    forgetHosts();
    await Promise.all(cells.map((cell) => inCell(cell, () => settle({ awaitsLeases: true }))));
    const atHarbor = await receiptsOf(home.url("gangway_partner"));
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
        ...(await findHarborProblems(harborUrl, atHarbor)),
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
  url: string;
  servers: readonly CellServer[];
  cells: Cell[];
  loaded: LoadedCell[];
  apis: ServerProcess[];
};

async function strikeInTurn(striking: Striking) {
  const { url, servers, cells, loaded, apis, rounds: roundCount, seed, say } = striking;
  const random = randomFrom(seed, "nodes");
  const names = apis.map(({ name }) => name);
  const rounds: Round[] = [];
  const moves: TimedMove[] = [];
  const outagesOf: Map<Cell, number>[] = [];
  let interruptedMoves = 0;
  const allServing = () => Promise.all(loaded.map(({ progress }) => progress.serving(names, Date.now())));
  const outageOf = ({ load }: LoadedCell, from: number) => longestOutageMs(load.operations, { from, to: Date.now() });

  await allServing();
  while (rounds.length < roundCount) {
    const node = servers[rounds.length % servers.length];
    const fault = faults[Math.floor(rounds.length / servers.length) % faults.length] ?? "killed";
    if (!node) throw new Error("The run has no servers.");

    // First, a move without a fault, to time how long it blocks writes. To this node, so that the fault hits a cell.
    const moved = { url, cells, ...(await planMove(striking, random, node)) };
    const movedFrom = Date.now();
    const { closedMs } = await moveCell(moved);
    const tookMs = Date.now() - movedFrom;
    await allServing();
    const outages = loaded.map((one) => (one.cell === moved.cell ? outageOf(one, movedFrom) : 0));
    moves.push({ cell: moved.cell, tookMs, closedMs, outageMs: Math.max(...outages) });

    // Then a move that the fault hits.
    const cellsOnNode = await cellsOn(url, cells, node);
    const met = { url, cells, ...(await planMove(striking, random)) };
    const from = Date.now();
    const moving = moveCell(met).then(
      () => true,
      () => false,
    );
    await delay(random.integer(0, 1500));
    await strike(node, fault, random);
    const wasMoved = await moving;
    if (!wasMoved) await repeatMove(met);
    await allServing();
    const outageByCell = new Map(loaded.map((one) => [one.cell, outageOf(one, from)]));
    outagesOf.push(outageByCell);
    if (!wasMoved) interruptedMoves += 1;
    const timesOf = (isOnNode: boolean) =>
      [...outageByCell].flatMap(([cell, ms]) => (cellsOnNode.includes(cell) === isOnNode ? [ms] : []));
    const round: Round = { node: node.name, fault, onNodeMs: timesOf(true), elsewhereMs: timesOf(false) };
    rounds.push(round);
    say(
      `${rounds.length} of ${roundCount}: ${node.name} ${fault}, its cells ${seconds(round.onNodeMs)} s without service, ` +
        `others ${seconds(round.elsewhereMs)} s; moving cell ${met.cell} ${wasMoved ? "went on" : "was repeated"}`,
    );
  }
  return { rounds, moves, interruptedMoves, outagesOf };
}

async function strike(node: CellServer, fault: Fault, random: Random): Promise<void> {
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

/** A cell that can move, and a different server: `preferred`, unless all of them are already there. */
async function planMove(
  { url, cells, servers }: Striking,
  random: Random,
  preferred?: CellServer,
): Promise<{ cell: Cell; to: string }> {
  const nodes = await withClient(url, (home) => listCellNodes(home, url, cells));
  const hostsOfCell = (cell: Cell) => nodes.find((node) => node.cells.includes(cell))?.hosts;
  const movable = cells.filter((cell) => cell !== firstCell);
  const [next, ...later] = movable.filter((cell) => preferred && hostsOfCell(cell) !== hostsOfServer(preferred));
  if (preferred && next !== undefined) return { cell: random.pick([next, ...later]), to: hostsOfServer(preferred) };
  const cell = random.integer(firstCell + 1, cells.length);
  const from = hostsOfCell(cell);
  const [first = "", ...others] = servers.map(hostsOfServer).filter((hosts) => hosts !== from);
  return { cell, to: random.pick([first, ...others]) };
}

async function cellsOn(url: string, cells: Cell[], server: CellServer): Promise<Cell[]> {
  const nodes = await withClient(url, (home) => listCellNodes(home, url, cells));
  return nodes.find(({ hosts }) => hosts === hostsOfServer(server))?.cells ?? [];
}

const moveTries = 20;

async function repeatMove(move: Move): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await moveCell(move);
      return;
    } catch (error) {
      // The move may have completed before its answer was lost.
      if (error instanceof Error && error.message.includes("already on")) return;
      if (tries === moveTries) throw error;
      await delay(1000);
    }
  }
}

/** Each move must be refused with a sentence, and move nothing. */
async function findMissingRefusals(url: string, cells: Cell[], servers: readonly CellServer[]): Promise<string[]> {
  const [home, to] = servers.map(hostsOfServer);
  if (!home || !to) throw new Error("The run has too few servers.");
  const refusals = [
    { cell: cells.length + 1, to, says: `There is no cell ${cells.length + 1}` },
    { cell: 1, to, says: "Cell 1 can't move" },
    { cell: 2, to: "127.0.0.1:1", says: "ECONNREFUSED" },
    { cell: 2, to: home, says: "is already on" },
  ];
  const missing: string[] = [];
  for (const { cell, to: address, says } of refusals) {
    const answer = await moveCell({ url, cell, to: address, cells }).then(() => "It moved.", String);
    if (!answer.includes(says)) missing.push(`Moving cell ${cell} to ${address} wasn't refused: ${answer}`);
  }
  return missing;
}

/** Sweeps each cell. What failed is in its quarantine, here as sentences. */
async function sweepCells(cells: Cell[]): Promise<string[]> {
  const failed = await Promise.all(
    cells.map((cell) =>
      inCell(cell, async () => {
        await sweep(AbortSignal.timeout(60_000));
        const { rows } = await servicePool().query<{ kind: string; id: string; reason: string }>(
          "select kind, id, reason from quarantine",
        );
        return rows.map(({ kind, id, reason }) => `Cell ${cell} has ${kind} ${id} in quarantine: ${reason}`);
      }),
    ),
  );
  return failed.flat();
}

async function reconcileByCommand(settings: NodeJS.ProcessEnv): Promise<string[]> {
  const child = spawn(process.execPath, ["scripts/run.mjs", "scripts/reconcile.ts"], { env: settings });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => output.push(String(text)));
  const [code] = await once(child, "exit");
  return code === 0 ? [] : [`npm run reconcile exited with ${code}: ${output.join("")}`];
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
